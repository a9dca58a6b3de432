import CSlots
@_spi(RecordWriting) import ModelRecord
import Synchronization

/// Records that are overwritten in place. Only the writer calls these.
extension SlotArray {
    /// The size in bytes of the encoded record at `index`, where ``overwrite(at:_:_:)`` keeps this size; nil where it
    /// does not overwrite. Another owner of the record may still prevent the overwrite.
    @inline(__always)
    func overwritableByteCount(at index: Int, _ plan: borrowing MergePlan) -> Int? {
        guard plan.keepsSize, let record = unsafe unmanaged(at: index) else { return nil }
        return unsafe record.byteCount
    }

    /// Overwrites the record at `index` with what was prepared, if only the table has the record. No reader can take it
    /// meanwhile: the writer sets the lock bit of the place, as a reader does against all others.
    /// - Returns: false where the record cannot be overwritten.
    @inline(__always)
    func overwrite(at index: Int, _ update: borrowing UpdateView, _ plan: borrowing MergePlan) -> Bool {
        guard plan.keepsSize, let word = lock(index), var record = unsafe word.record else { return false }
        let isDone = unsafe record.overwrite(update, plan)
        unlock(index, word)
        return isDone
    }

    /// The same, and keeps the old bytes in `log`. The log grows before the place is locked, as readers of the model
    /// wait for the lock.
    /// - Returns: the entry of `log`; nil where the record cannot be overwritten.
    @inline(__always)
    func overwrite(
        at index: Int, _ update: borrowing UpdateView, _ plan: borrowing MergePlan, keepingIn log: inout UndoLog
    ) -> UndoLog.Entry? {
        guard plan.keepsSize, let room = log.reserve(for: plan) else { return nil }
        guard let word = lock(index), var record = unsafe word.record else { return nil }
        let entry = unsafe record.overwrite(update, plan, keepingIn: &log, room)
        unlock(index, word)
        return entry
    }

    /// Sets the lock bit of the place at `index`, so that no reader enters.
    /// - Returns: the word of the place; nil, with nothing locked, where the place is empty.
    @inline(__always)
    private func lock(_ index: Int) -> SlotWord? {
        var word = self.word(at: index)
        guard !word.isEmpty else { return nil }
        var turn: UInt32 = 0
        while true {
            // Acquiring: what a reader did before it left the place is seen here.
            let (isLocked, found) = unsafe base[index].compareExchange(
                expected: word.bits, desired: word.locked.bits, successOrdering: .acquiring,
                failureOrdering: .relaxed)
            if isLocked { return word }
            // A reader has locked the place, or has marked it as used.
            word = SlotWord(bits: found).unlocked
            cslots_wait(turn)
            turn &+= 1
        }
    }

    @inline(__always)
    private func unlock(_ index: Int, _ word: SlotWord) {
        // Releasing: the next reader that takes the record sees all of it.
        unsafe base[index].store(word.inUse.bits, ordering: .releasing)
    }
}
