import ModelRecord

/// A change as it is kept: what can be told from the records is not stored.
struct ChangeEntry {
    /// The state before, tombstones included.
    var old: CellRecord?
    /// The state after, tombstones included.
    var new: CellRecord
    /// The union of the changed fields, where several changes were folded.
    var fields: [String]?
}

/// A change as a section holds it. Both records are owned, a count each.
@unsafe struct HeldChange {
    /// Nil where there was none, and where it was written over: then ``undo`` has what it was.
    var old: UnmanagedRecord?
    var new: UnmanagedRecord
    /// Who is told, where the section is a lane's.
    var seat = Seat.nobody
    /// Of the section's log.
    var undo = UndoLog.Entry.none
}

/// The changes of one type in one step: written once, shared by all who are told of them, never changed.
///
/// Many records pass through here, and the compiler counts none of them: a commit moves the records that it replaced
/// into the section, and whoever releases the section last hands them back (``SectionMemory``).
///
/// Safe to use: the pointer is private, and what is behind it, `count` changes, lives as long as the section.
// Unchecked because of the pointer and the log: what is behind them is written before the section is made, and only
// read until its last reference is gone.
@safe final class ChangeSection: @unchecked Sendable {
    let type: String
    let count: Int
    /// The commit that made the changes; of folded ones the last.
    let commitNumber: UInt64
    private let changes: UnsafeMutablePointer<HeldChange>
    private let capacity: Int
    private let undoLog: UndoLog
    /// The old states that somebody has asked for, by position; empty until then.
    private let restored = Guarded<[CellRecord?]>([])
    private let folds: Folds?
    /// Where replaced records and memory go; nil for sections that no commit has made.
    private let memory: SectionMemory?

    /// What is known of folded changes, by position.
    struct Folds {
        /// Nil for a change that stands for itself.
        var fields: [[String]?] = []
        /// Empty where the section's own number is that of all.
        var commitNumbers: [UInt64] = []
    }

    /// Takes over what was gathered.
    init(_ gathered: consuming GatheredChanges, type: String, commitNumber: UInt64, memory: SectionMemory?) {
        self.type = type
        self.commitNumber = commitNumber
        self.memory = memory
        folds = nil
        count = gathered.count
        capacity = gathered.capacity
        unsafe changes = gathered.base
        undoLog = gathered.undoLog
    }

    /// - Parameter seats: who is told of each; empty where the section is not a lane's.
    init(
        type: String, entries: [ChangeEntry], seats: [Seat] = [], commitNumbers: [UInt64] = [], commitNumber: UInt64 = 0
    ) {
        self.type = type
        self.commitNumber = commitNumber
        memory = nil
        let isFolded = entries.contains { $0.fields != nil }
        folds =
            isFolded || !commitNumbers.isEmpty
            ? Folds(fields: entries.map(\.fields), commitNumbers: commitNumbers) : nil
        var gathered = GatheredChanges(capacity: entries.count)
        for (position, entry) in entries.enumerated() {
            unsafe gathered.append(
                HeldChange(
                    old: entry.old.map { unsafe UnmanagedRecord($0) }, new: UnmanagedRecord(entry.new),
                    seat: seats.isEmpty ? .nobody : seats[position]))
        }
        count = gathered.count
        capacity = gathered.capacity
        unsafe changes = gathered.base
        undoLog = gathered.undoLog
    }

    deinit {
        let part = unsafe SectionMemory.Part(base: changes, count: count, capacity: capacity, undoLog: undoLog)
        if let memory { memory.give(part) } else { part.destroy() }
    }

    private func held(_ position: Int) -> HeldChange {
        precondition(position >= 0 && position < count, "no change \(position) in a section of \(count)")
        return unsafe changes[position]
    }

    /// The state before, tombstones included; made again, once, where the record was written over.
    func old(at position: Int) -> CellRecord? {
        let held = unsafe held(position)
        guard unsafe held.undo != .none else { return unsafe held.old?.record }
        return restored.withLock { restored in
            if restored.isEmpty { restored = [CellRecord?](repeating: nil, count: count) }
            if let known = restored[position] { return known }
            let record = unsafe undoLog.restored(held.new, held.undo)
            restored[position] = record
            return record
        }
    }

    /// The state after, tombstones included.
    func new(at position: Int) -> CellRecord { unsafe held(position).new.record }

    /// The union of the changed fields where several changes were folded; nil where the change stands for itself.
    func foldedFields(at position: Int) -> [String]? { folds?.fields[position] }

    func changedFields(at position: Int) -> [String] {
        foldedFields(at: position) ?? new(at: position).changedFields(since: old(at: position))
    }

    /// The change at `position`, on its own.
    func entry(at position: Int) -> ChangeEntry {
        ChangeEntry(old: old(at: position), new: new(at: position), fields: foldedFields(at: position))
    }

    /// Who is told of the change at `position`.
    func seat(at position: Int) -> Seat { unsafe held(position).seat }

    /// The change at `position` is of the model `id`.
    func hasID(_ id: String, at position: Int) -> Bool { unsafe held(position).new.hasID(id.utf8.span) }

    /// The last commit that is in the change at `position`.
    func commitNumber(at position: Int) -> UInt64 {
        guard let folds, !folds.commitNumbers.isEmpty else { return commitNumber }
        return folds.commitNumbers[position]
    }
}
