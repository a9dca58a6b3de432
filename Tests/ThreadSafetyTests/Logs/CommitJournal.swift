@_spi(CacheWriting) import ModelCache
import ModelRecord

/// What a cache says of its commits, held against what the writers know.
///
/// Of the writes of a batch nobody is told the stamps: here they are found, by the values that no other write carries.
struct CommitJournal {
    private let entries: [JournalEntry]

    init(_ entries: [JournalEntry]) { self.entries = entries }

    /// Gives every write its stamp that has none and is in a commit.
    func stamp(_ history: inout History) {
        var unknown: [ModelKey: [(index: Int, marks: Set<Value>)]] = [:]
        for (index, write) in history.writes.enumerated() where write.stamp == nil {
            guard let step = write.steps.last else { continue }
            let marks = Set(step.fields.values.filter { $0.intValue ?? 0 > StressValues.shared })
            unknown[step.key, default: []].append((index, marks))
        }
        for entry in entries {
            let key = ModelKey(type: entry.type, id: entry.record.id)
            guard let open = unknown[key], !open.isEmpty else { continue }
            let stamp = entry.record.lastStamp
            for (field, value) in entry.record.values where entry.record.version(of: field)?.stamp == stamp {
                for write in open where write.marks.contains(value) { history.writes[write.index].stamp = stamp }
            }
        }
    }

    /// Every commit is one of the writes, in their order, with what they lead to; and every write that a reader can see
    /// is in a commit.
    func check(_ history: History) throws {
        var byKey: [ModelKey: [CellRecord]] = [:]
        for entry in entries {
            byKey[ModelKey(type: entry.type, id: entry.record.id), default: []].append(entry.record)
        }
        for key in history.keys.sorted() {
            try check(byKey[key] ?? [], key, Timeline(history.writes) { $0 == key })
        }
        if let stranger = Set(byKey.keys).subtracting(history.keys).min() {
            throw Violation(rule: "a commit of a model that nobody wrote", events: ["\(stranger)"])
        }
    }

    private func check(_ records: [CellRecord], _ key: ModelKey, _ timeline: Timeline) throws {
        var last = 0
        for record in records {
            let position = timeline.position(asOf: record.lastStamp)
            guard position > last || (position == last && position > 0) else {
                throw Violation(rule: "a commit is older than the one before it", events: ["\(key) \(record)"])
            }
            // A write that has no commit of its own may not have changed anything.
            for skipped in (last + 1)..<max(position, last + 1)
            where timeline.contents(of: key, at: skipped) != timeline.contents(of: key, at: last) {
                throw Violation(
                    rule: "a write has no commit", events: [timeline.writes[skipped - 1].description, "\(record)"])
            }
            let contents = timeline.contents(of: key, at: position)
            guard contents == (record.exists ? record.values : nil) else {
                throw Violation(
                    rule: "a commit is not what its write leads to",
                    events: [
                        timeline.writes[position - 1].description, "committed \(record)",
                        "expected \(key) \(ModelStep.text(contents))",
                    ])
            }
            last = position
        }
        let end = timeline.writes.count
        guard timeline.contents(of: key, at: end) == timeline.contents(of: key, at: last) else {
            throw Violation(rule: "a write has no commit", events: [timeline.writes[end - 1].description])
        }
    }
}
