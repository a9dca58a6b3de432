import ModelRecord

/// Folds several change sets into one with a single change per model: first old, last new, all changed fields.
///
/// Models come in the order of their last change, types in the order of their first change.
struct Conflation {
    /// The changes of one type. A nil is a place that its model left for a later one.
    private struct Section {
        let type: String
        var entries: [ChangeEntry?] = []
        var positions: [Key: Int] = [:]
    }

    /// The id of a record as a key, without a string.
    private struct Key: Hashable {
        let record: CellRecord

        static func == (left: Key, right: Key) -> Bool { left.record.hasID(right.record.idBytes) }
        func hash(into hasher: inout Hasher) { record.hashID(into: &hasher) }
    }

    private var sections: [Section] = []
    /// The section of the last change.
    private var recent = 0
    private var commitNumber: UInt64 = 0

    /// The fold of `sets`, which are in commit order.
    static func fold(_ sets: some Sequence<ChangeSet>) -> ChangeSet {
        var fold = Conflation()
        for set in sets {
            fold.commitNumber = set.commitNumber
            set.forEachEntry { type, entry in fold.add(entry, type) }
        }
        let sections = fold.sections.compactMap { section -> ChangeSection? in
            let told = section.entries.compactMap(\.self).filter(Conflation.isTold)
            return told.isEmpty ? nil : ChangeSection(type: section.type, entries: told)
        }
        return ChangeSet(sections, commitNumber: fold.commitNumber)
    }

    private mutating func add(_ entry: ChangeEntry, _ type: String) {
        if recent == sections.count || sections[recent].type != type {
            recent = sections.firstIndex { $0.type == type } ?? sections.count
            if recent == sections.count { sections.append(Section(type: type)) }
        }
        Conflation.add(entry, to: &sections[recent])
    }

    private static func add(_ entry: ChangeEntry, to section: inout Section) {
        let key = Key(record: entry.new)
        let position = section.entries.count
        guard let earlier = section.positions.updateValue(position, forKey: key),
            let before = section.entries[earlier]
        else {
            section.entries.append(entry)
            return
        }
        section.entries[earlier] = nil
        section.entries.append(before.folded(with: entry))
    }

    /// False for a model without fields that came and went again: nothing is left to tell.
    static func isTold(_ entry: ChangeEntry) -> Bool {
        guard let fields = entry.fields, fields.isEmpty else { return true }
        return (entry.old?.isPresent ?? false) != entry.new.isPresent
    }

    /// The union of two lists in the order of encoded names.
    fileprivate static func union(_ left: [String], _ right: [String]) -> [String] {
        if left == right { return left }
        var result: [String] = []
        result.reserveCapacity(left.count + right.count)
        var (l, r) = (0, 0)
        while l < left.count || r < right.count {
            let takesLeft = r == right.count || (l < left.count && !Fields.precedes(right[r], left[l]))
            if takesLeft, r < right.count, left[l] == right[r] { r += 1 }
            result.append(takesLeft ? left[l] : right[r])
            if takesLeft { l += 1 } else { r += 1 }
        }
        return result
    }
}

extension ChangeEntry {
    /// This change and a later one of the same model as one.
    func folded(with later: ChangeEntry) -> ChangeEntry {
        ChangeEntry(old: old, new: later.new, fields: Conflation.union(allFields, later.allFields))
    }

    private var allFields: [String] { fields ?? new.changedFields(since: old) }
}
