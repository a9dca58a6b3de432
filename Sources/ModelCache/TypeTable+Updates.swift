import ModelRecord

/// Updates that are merged where they belong at once: see ``ModelCache/commit(_:in:)-(UpdateBatchView,_)``. All of it
/// under the writer lock and the cut lock, with nobody watching.
extension Writer {
    /// Merges the updates of a batch. The memory of the next ones is asked for meanwhile.
    func merge(
        _ batch: borrowing UpdateBatchView, into table: TypeTable, _ step: inout UpdateStep,
        noting changes: inout BatchChanges?, _ leftover: inout [Record]
    ) {
        // The digests once for all: each look at them is checked for exclusive access at run time.
        table.merge(batch, plan: &plan, digests: &table.digests, &step, noting: &changes, &leftover)
    }
}

extension TypeTable {
    fileprivate func merge(
        _ batch: borrowing UpdateBatchView, plan: inout MergePlan, digests: inout [UInt64],
        _ step: inout UpdateStep, noting changes: inout BatchChanges?, _ leftover: inout [Record]
    ) {
        let shards = shards
        var recordByteCount = pending.lastRecordByteCount
        var ahead = LookAhead()
        let count = batch.count
        var position = LookAhead.start
        while position < count {
            ahead.begin(position, batch, shards, byteCount: recordByteCount)
            if position >= 0 {
                merge(
                    batch.update(at: position), ahead.hash(position), plan: &plan, digests: &digests, &step,
                    noting: &changes, &leftover, &recordByteCount)
            }
            ahead.end(byteCount: recordByteCount)
            position &+= 1
        }
        pending.lastRecordByteCount = recordByteCount
    }

    @inline(__always)
    private func merge(
        _ update: borrowing UpdateView, _ hash: UInt64, plan: inout MergePlan, digests: inout [UInt64],
        _ step: inout UpdateStep, noting changes: inout BatchChanges?, _ leftover: inout [Record],
        _ recordByteCount: inout Int
    ) {
        // An insertion before may have made another array of it.
        let slots = shards.slots(of: hash)
        guard let slots, case let slot = slots.find(hash, update.id), slot >= 0 else {
            return insert(update, hash, plan: &plan, digests: &digests, &step, noting: &changes, &recordByteCount)
        }
        var result = unsafe slots.prepare(update, at: slot, plan: &plan, keepingEqual: changes != nil)
        if unsafe result.isPrepared {
            if slots.overwrite(at: slot, update, plan) {
                unsafe digests[Int(hash &>> 56)] &+= result.digestDelta
                step.summary.changed &+= 1
                changes?.noteChange(update, plan)
                return
            }
            unsafe slots.finish(&result, update, at: slot, plan: &plan)
        }
        unsafe changes?.note(&result, update, plan)
        unsafe step.summary.conflictingCells &+= result.conflictingCells
        guard let new = unsafe result.record else {
            step.summary.unchanged &+= 1
            return
        }
        unsafe recordByteCount = new.storedByteCount
        unsafe digests[Int(hash &>> 56)] &+= result.digestDelta
        step.summary.changed &+= 1
        var entry = unsafe Pending(
            new, hash, digestDelta: result.digestDelta, slot: slot, isVisible: result.isVisible,
            existed: slots.exists(at: slot))
        step.counts.existing &+= (entry.exists ? 1 : 0) &- (entry.existed ? 1 : 0)
        shards.exchange(&entry, epoch: nil)
        entry.giveBack(to: &plan)
        if let replaced = unsafe entry.held { unsafe leftover.append(replaced.take()) }
    }

    /// The first that is heard of a model.
    private func insert(
        _ update: borrowing UpdateView, _ hash: UInt64, plan: inout MergePlan, digests: inout [UInt64],
        _ step: inout UpdateStep, noting changes: inout BatchChanges?, _ recordByteCount: inout Int
    ) {
        var result = unsafe UnmanagedMerge(
            Record.applying(update, to: nil, plan: &plan, keepingEqual: changes != nil))
        unsafe changes?.note(&result, update, plan)
        guard let new = unsafe result.record else {
            step.summary.unchanged &+= 1
            return
        }
        unsafe recordByteCount = new.storedByteCount
        unsafe digests[Int(hash &>> 56)] &+= result.digestDelta
        step.summary.changed &+= 1
        step.counts.records &+= 1
        if unsafe new.exists { step.counts.existing &+= 1 }
        unsafe shards.insert(new.take(), hash: hash, epoch: nil)
    }
}
