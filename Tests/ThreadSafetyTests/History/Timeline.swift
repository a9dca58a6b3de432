import ModelRecord

/// Writes in the order of their stamps, and what each leads to. Position *n* is the state after the first *n* of them.
struct Timeline {
    let writes: [WriteEvent]
    /// The positions at which a model changed, and what it was from there on.
    private var chapters: [ModelKey: [(position: Int, contents: Contents?)]] = [:]

    /// - Parameters:
    ///   - writes: all with a stamp.
    ///   - concerns: only steps on these models count; writes without one are left out.
    init(_ writes: [WriteEvent], concerning concerns: (ModelKey) -> Bool = { _ in true }) throws {
        self.writes = try writes.filter { write in write.steps.contains { concerns($0.key) } }
            .map { write in
                guard let stamp = write.stamp else {
                    throw Violation(rule: "a write is in no commit: it is lost", events: [write.description])
                }
                return (stamp, write)
            }
            .sorted { $0.0 < $1.0 }.map(\.1)
        try checkOrder()
        for (index, write) in self.writes.enumerated() {
            try apply(write, at: index + 1, concerns)
        }
    }

    private mutating func apply(_ write: WriteEvent, at position: Int, _ concerns: (ModelKey) -> Bool) throws {
        if let before = write.before, let key = write.steps.first?.key {
            guard before.agrees(with: contents(of: key, at: position - 1)) else {
                throw Violation(
                    rule: "a write came between what was read for another one and that one",
                    events: ["read: \(before)", write.description]
                        + (position > 1 ? [writes[position - 2].description] : []))
            }
        }
        for step in write.steps where concerns(step.key) {
            let contents = step.applied(to: contents(of: step.key, at: position))
            if chapters[step.key]?.last?.position == position { chapters[step.key]?.removeLast() }
            chapters[step.key, default: []].append((position, contents))
        }
    }

    /// A write that had ended when another began comes before it.
    private func checkOrder() throws {
        var latest: WriteEvent?
        for write in writes {
            if let latest, latest.stamp == write.stamp {
                throw Violation(rule: "two writes have one stamp", events: [latest.description, write.description])
            }
            if let latest, write.interval.responded < latest.interval.invoked {
                throw Violation(
                    rule: "a write that began after the end of another has the smaller stamp",
                    events: [write.description, latest.description])
            }
            if write.interval.invoked > latest?.interval.invoked ?? 0 { latest = write }
        }
    }

    /// The index of the chapter that holds `position`; -1 before the first.
    private func chapter(_ all: [(position: Int, contents: Contents?)], at position: Int) -> Int {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// A model at a position; nil where it does not exist.
    func contents(of key: ModelKey, at position: Int) -> Contents? {
        guard let all = chapters[key] else { return nil }
        let index = chapter(all, at: position)
        return index < 0 ? nil : all[index].contents
    }

    /// The first position from `start` to `end` at which the model can have been seen like that.
    func position(of sighting: Sighting, _ key: ModelKey, from start: Int, through end: Int) -> Int? {
        guard start <= end else { return nil }
        let all = chapters[key] ?? []
        var index = chapter(all, at: start)
        var position = start
        while true {
            if sighting.agrees(with: index < 0 ? nil : all[index].contents) { return position }
            index += 1
            guard index < all.count, all[index].position <= end else { return nil }
            position = all[index].position
        }
    }

    /// The position of the last write with a stamp up to this one.
    func position(asOf stamp: Stamp) -> Int {
        var (low, high) = (0, writes.count)
        while low < high {
            let middle = (low + high) / 2
            if (writes[middle].stamp ?? 0) <= stamp { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
