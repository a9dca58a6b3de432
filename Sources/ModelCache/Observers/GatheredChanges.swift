import CPrefetch
@_spi(RecordWriting) import ModelRecord

/// The changes of a section in the making.
///
/// Safe to use: the pointer is that of `capacity` places, of which the first `count` hold changes. Only one copy is
/// used.
// Unchecked because of the pointer, which the writer alone has.
@safe struct GatheredChanges: @unchecked Sendable {
    private(set) var base: UnsafeMutablePointer<HeldChange>
    private(set) var capacity: Int
    private(set) var count = 0
    /// The old states of the records that were overwritten.
    private(set) var undoLog = UndoLog()

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        unsafe base = .allocate(capacity: self.capacity)
    }

    /// Reuses memory of an earlier section.
    init(_ part: SectionMemory.Part) {
        capacity = part.capacity
        unsafe base = part.base
        undoLog = part.undoLog
    }

    /// Adds a change, and takes over the counts of its records.
    @inline(__always)
    mutating func append(_ change: HeldChange) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: change)
        count &+= 1
        // The observer that was told last has read this memory on another core, so it is fetched ahead of the next
        // writes.
        unsafe cprefetch_ahead_to_write(base + count, GatheredChanges.aheadByteCount)
    }

    /// How far ahead the memory is asked for, in bytes: eight changes.
    private static var aheadByteCount: Int { unsafe 8 &* MemoryLayout<HeldChange>.stride }

    /// Overwrites the record at `slot`, and takes the change.
    /// - Returns: false where the record cannot be overwritten; nothing has changed then.
    @inline(__always)
    mutating func overwrite(
        _ slots: SlotArray, at slot: Int, _ update: borrowing UpdateView, _ plan: borrowing MergePlan, _ seat: Seat
    ) -> Bool {
        guard let entry = slots.overwrite(at: slot, update, plan, keepingIn: &undoLog),
            let new = unsafe slots.unmanaged(at: slot)
        else { return false }
        unsafe append(HeldChange(old: nil, new: new.retained(), seat: seat, undo: entry))
        return true
    }

    /// Takes the last change of another section, for the observer of `seat`.
    mutating func append(lastOf other: GatheredChanges, _ seat: Seat) {
        precondition(other.count > 0, "a section that is not empty has a last change")
        let last = unsafe other.base[other.count - 1]
        let entry = unsafe undoLog.append(last.undo, of: other.undoLog)
        unsafe append(HeldChange(old: last.old?.retained(), new: last.new.retained(), seat: seat, undo: entry))
    }

    /// The states before and after the last change, each with a count of its own.
    func last() -> (old: CellRecord?, new: CellRecord) {
        precondition(count > 0, "a section that is not empty has a last change")
        let last = unsafe base[count - 1]
        let old = unsafe last.undo == .none ? last.old?.record : undoLog.restored(last.new, last.undo)
        return unsafe (old, last.new.record)
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

    /// Moves out the changes of one lane, from `start` up to the first of another lane.
    func run(from start: Int) -> GatheredChanges {
        let lane = lane(at: start)
        var end = start
        while end < count, self.lane(at: end) == lane { end += 1 }
        var run = GatheredChanges(capacity: end - start)
        for position in start..<end {
            var change = unsafe base[position]
            unsafe change.undo = run.undoLog.append(change.undo, of: undoLog)
            unsafe run.append(change)
        }
        return run
    }

    /// The memory after all changes have been moved out.
    func emptied() -> SectionMemory.Part {
        var part = unsafe SectionMemory.Part(base: base, count: 0, capacity: capacity, undoLog: undoLog)
        part.clearLog()
        return part
    }
}
