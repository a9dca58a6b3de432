@_spi(RecordWriting) import ModelRecord

/// A change in the form in which it is folded. Fields that the two records tell are not stored.
struct ChangeEntry {
    /// The state before, tombstones included.
    var old: CellRecord?
    /// The state after, tombstones included.
    var new: CellRecord
    /// The union of the changed fields, where several changes were folded.
    var fields: [String]?
}

/// A change as a section holds it. It owns a count of both records.
@unsafe struct HeldChange {
    /// Nil where there was no record, and where the record was overwritten: then ``undo`` tells the old state.
    var old: UnmanagedRecord?
    var new: UnmanagedRecord
    /// The seat of the observer that is told, where the section is a lane's.
    var seat = Seat.nobody
    /// The entry of the section's undo log.
    var undo = UndoLog.Entry.none
}

/// The changes of one type in one step. Written once, never changed, and shared by all observers that are told of them.
///
/// The compiler counts none of the records: a commit moves the records that it replaced into the section, and the last
/// release of the section hands them back (``SectionMemory``).
///
/// Safe to use: the pointer is private, and the `count` changes behind it live as long as the section.
// Unchecked because of the pointer and the log: what is behind them is written before the section is made, and only
// read until its last reference is gone.
@safe package final class ChangeSection: @unchecked Sendable {
    package let type: String
    package let count: Int
    /// The commit that made the changes; 0 of folded ones of several models.
    package let commitNumber: UInt64
    private let changes: UnsafeMutablePointer<HeldChange>
    private let capacity: Int
    private let undoLog: UndoLog
    /// The old states that were made again, by position; empty until the first is asked for.
    private let restored = Guarded<[CellRecord?]>([])
    private let folds: Folds?
    /// The place to which the section gives its replaced records and its memory when it is released; nil for sections
    /// that no commit has made.
    private let memory: SectionMemory?

    /// The fields and commits of folded changes, by position.
    struct Folds {
        /// Nil for a change that stands for itself.
        var fields: [[String]?] = []
        /// Empty where ``ChangeSection/commitNumber`` is that of all changes.
        var commitNumbers: [UInt64] = []
    }

    /// Takes over the changes and the memory of `gathered`.
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

    /// - Parameter seats: the seat of the observer of each change; empty where the section is not a lane's.
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

    /// The state before, tombstones included. Where the record was overwritten, it is made again, once.
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

    /// The state before was that of a model that was withdrawn. No such record is overwritten.
    func wasWithdrawn(at position: Int) -> Bool {
        let held = unsafe held(position)
        return unsafe held.undo == .none && held.old?.lend { $0.isWithdrawn } ?? false
    }

    /// The change at `position`, as it is told.
    package func change(at position: Int) -> Change { Change(self, at: position, isInitial: false) }

    /// About how many bytes the records of the change at `position` take. One that was overwritten is taken to be as
    /// large as the one that is there: it is made again only where somebody asks for it.
    package func byteCount(at position: Int) -> Int {
        let held = unsafe held(position)
        let new = unsafe held.new.byteCount
        let old = unsafe held.undo == .none ? held.old?.byteCount ?? 0 : new
        return old + new + 64
    }

    /// The state after, tombstones included.
    func new(at position: Int) -> CellRecord { unsafe held(position).new.record }

    /// The union of the changed fields where several changes were folded; nil where the change stands for itself.
    func foldedFields(at position: Int) -> [String]? { folds?.fields[position] }

    func changedFields(at position: Int) -> [String] {
        foldedFields(at: position) ?? new(at: position).changedFields(since: old(at: position))
    }

    /// A copy of the change at `position`.
    func entry(at position: Int) -> ChangeEntry {
        ChangeEntry(old: old(at: position), new: new(at: position), fields: foldedFields(at: position))
    }

    /// The seat of the observer that is told of the change at `position`.
    func seat(at position: Int) -> Seat { unsafe held(position).seat }

    /// The change at `position` is of the model `id`.
    func hasID(_ id: String, at position: Int) -> Bool { unsafe held(position).new.hasID(id.utf8.span) }

    /// The last commit that the change at `position` contains.
    func commitNumber(at position: Int) -> UInt64 {
        guard let folds, !folds.commitNumbers.isEmpty else { return commitNumber }
        return folds.commitNumbers[position]
    }
}
