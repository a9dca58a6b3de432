import ModelRecord

/// A change as it is kept: what can be told from the records is not stored.
struct ChangeEntry {
    /// The state before, tombstones included.
    var old: Record?
    /// The state after, tombstones included.
    var new: Record
    /// The union of the changed fields, where several changes were folded.
    var fields: [String]?
}

/// A change as a section holds it. Both records are owned, a count each.
@unsafe struct HeldChange {
    var old: UnmanagedRecord?
    var new: UnmanagedRecord
    /// Who is told, where the section is a lane's.
    var seat = Seat.nobody
}

/// The changes of one type in one step: written once, shared by all who are told of them, never changed.
///
/// Many records pass through here, and the compiler counts none of them: a commit moves the records that it replaced
/// into the section, and whoever releases the section last hands them back (``SectionMemory``).
///
/// Safe to use: the pointer is private, and what is behind it, `count` changes, lives as long as the section.
// Unchecked because of the pointer: what is behind it is written before the section is made, and only read until its
// last reference is gone.
@safe final class ChangeSection: @unchecked Sendable {
    let type: String
    let count: Int
    /// The commit that made the changes; of folded ones the last.
    let commitNumber: UInt64
    private let changes: UnsafeMutablePointer<HeldChange>
    private let capacity: Int
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
    }

    deinit {
        let part = unsafe SectionMemory.Part(base: changes, count: count, capacity: capacity)
        if let memory { memory.give(part) } else { part.destroy() }
    }

    private func held(_ position: Int) -> HeldChange {
        precondition(position >= 0 && position < count, "no change \(position) in a section of \(count)")
        return unsafe changes[position]
    }

    func entry(at position: Int) -> ChangeEntry {
        let held = unsafe held(position)
        return unsafe ChangeEntry(old: held.old?.record, new: held.new.record, fields: folds?.fields[position])
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

/// The changes of a section in the making.
///
/// Safe to use: the pointer is that of `capacity` places, the first `count` of which hold changes. One copy is used.
// Unchecked because of the pointer, which the writer alone has.
@safe struct GatheredChanges: @unchecked Sendable {
    fileprivate var base: UnsafeMutablePointer<HeldChange>
    private(set) var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        unsafe base = .allocate(capacity: self.capacity)
    }

    /// In memory that was used before.
    init(_ part: SectionMemory.Part) {
        capacity = part.capacity
        unsafe base = part.base
    }

    /// Takes over the counts of the records.
    @inline(__always)
    mutating func append(_ change: HeldChange) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: change)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<HeldChange>.allocate(capacity: capacity * 2)
        unsafe larger.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity *= 2
    }

    /// Orders the changes by the lane of their seats.
    mutating func sortByLane() {
        var changes = unsafe UnsafeMutableBufferPointer(start: base, count: count)
        unsafe changes.sort { unsafe $0.seat.lane < $1.seat.lane }
    }

    /// The lane of the change at `position`.
    func lane(at position: Int) -> UInt32 {
        precondition(position >= 0 && position < count, "no change \(position) of \(count)")
        return unsafe base[position].seat.lane
    }

    /// Moves the changes from `start` on out, up to those of another lane.
    func run(from start: Int) -> GatheredChanges {
        let lane = lane(at: start)
        var end = start
        while end < count, self.lane(at: end) == lane { end += 1 }
        var run = GatheredChanges(capacity: end - start)
        for position in start..<end { unsafe run.append(base[position]) }
        return run
    }

    /// The memory after all changes have been moved out.
    func emptied() -> SectionMemory.Part { unsafe SectionMemory.Part(base: base, count: 0, capacity: capacity) }
}
