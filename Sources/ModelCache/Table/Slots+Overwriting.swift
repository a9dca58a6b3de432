import CSlots
import ModelRecord
import Synchronization

/// Records that are written over where they are: the writer's.
extension SlotArray {
    /// The size of the encoded record at `index` where ``overwrite(at:_:_:)`` would keep it, if nobody has the record;
    /// nil where it would do nothing.
    @inline(__always)
    func overwritableByteCount(at index: Int, _ plan: borrowing MergePlan) -> Int? {
        guard plan.keepsSize, let record = unsafe unmanaged(at: index) else { return nil }
        return unsafe record.byteCount
    }

    /// Writes what was prepared into the record at `index`, if nobody but the table has that. No reader can take it
    /// meanwhile: the place is locked as a reader would lock it, against all others.
    /// - Returns: whether it was done.
    @inline(__always)
    func overwrite(at index: Int, _ update: borrowing UpdateView, _ plan: borrowing MergePlan) -> Bool {
        guard plan.keepsSize, let word = lock(index), var record = unsafe word.record else { return false }
        let isDone = unsafe record.overwrite(update, plan)
        unlock(index, word)
        return isDone
    }

    /// The same, and keeps what stood there. The log grows before the place is locked: readers of the model wait.
    /// - Returns: the entry of `log`; nil where it was not done.
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

    /// Keeps readers from the place at `index`, as one of them keeps the others.
    /// - Returns: what it holds; nil, and nothing is locked, where that is no record.
    @inline(__always)
    private func lock(_ index: Int) -> SlotWord? {
        let word = self.word(at: index)
        guard !word.isEmpty else { return nil }
        var turn: UInt32 = 0
        while true {
            // Acquiring: what a reader did before he left the place is seen here.
            let isLocked = unsafe base[index].compareExchange(
                expected: word.bits, desired: word.locked.bits, successOrdering: .acquiring,
                failureOrdering: .relaxed
            ).exchanged
            if isLocked { return word }
            cslots_wait(turn)
            turn &+= 1
        }
    }

    @inline(__always)
    private func unlock(_ index: Int, _ word: SlotWord) {
        // Releasing: who takes the record next sees all of it.
        unsafe base[index].store(word.bits, ordering: .releasing)
    }
}
