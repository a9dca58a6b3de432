import ModelRecord

/// Folds the changes that wait in a lane to one for each member: first old, last new, all changed fields.
///
/// Members come in the order of their last change, a type at a time. First states stay as they are, before the changes.
struct SharedInboxConflation {
    private struct Folded {
        var entry: ChangeEntry
        let seat: Seat
        let commitNumber: UInt64
    }

    /// The changes of one type. A nil is a place that its member left for a later change.
    private struct OfType {
        let type: String
        var changes: [Folded?] = []
    }

    private var types: [OfType] = []
    /// The type of the last change.
    private var recent = 0
    /// The position of each member's change within its type; -1 for none. A member has one type.
    private var positions: [Int32]
    private var initial: [SharedInboxBatch] = []

    init(memberCount: Int) { positions = [Int32](repeating: -1, count: memberCount) }

    /// Keeps a batch of first states.
    mutating func keep(_ batch: SharedInboxBatch) { initial.append(batch) }

    /// Adds a change that is to be told.
    mutating func add(_ section: ChangeSection, at position: Int) {
        if recent == types.count || types[recent].type != section.type {
            recent = types.firstIndex { $0.type == section.type } ?? types.count
            if recent == types.count { types.append(OfType(type: section.type)) }
        }
        let seat = section.seat(at: position)
        var folded = Folded(
            entry: section.entry(at: position), seat: seat, commitNumber: section.commitNumber(at: position))
        let earlier = Int(positions[Int(seat.number)])
        if earlier >= 0, let before = types[recent].changes[earlier] {
            types[recent].changes[earlier] = nil
            folded.entry = before.entry.folded(with: folded.entry)
        }
        positions[Int(seat.number)] = Int32(types[recent].changes.count)
        types[recent].changes.append(folded)
    }

    /// The batches that take the place of those that were folded.
    func finish() -> [SharedInboxBatch] {
        initial
            + types.compactMap { ofType in
                let told = ofType.changes.compactMap(\.self).filter { Conflation.isTold($0.entry) }
                guard let last = told.last else { return nil }
                return SharedInboxBatch(
                    section: ChangeSection(
                        type: ofType.type, entries: told.map(\.entry), seats: told.map(\.seat),
                        commitNumbers: told.map(\.commitNumber), commitNumber: last.commitNumber))
            }
    }
}
