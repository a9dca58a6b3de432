@_spi(RecordWriting) import ModelRecord

/// Updates that are merged in place: see ``ModelCache/commit(_:in:)-(UpdateBatchView,_)``. All of these are called
/// under the writer lock and the cut lock, with no snapshot open.
extension Writer {
    /// Merges the updates of a batch, and asks for the memory of the next ones meanwhile.
    /// - Parameter repeats: the positions that are passed over.
    func merge(
        _ batch: borrowing UpdateBatchView, into table: TypeTable, _ step: inout UpdateStep,
        noting changes: inout BatchChanges?, passing repeats: Repeats, _ leftover: inout [CellRecord]
    ) {
        // The digests are passed on, as each access to them is checked for exclusivity at run time.
        table.merge(
            batch, plan: &plan, digests: &table.digests, &step, noting: &changes, passing: repeats, &leftover)
    }

    /// Merges those updates of a batch that change a model together. The slot gets its new record when all of them are
    /// merged.
    func merge(
        _ repeats: Repeats, of batch: borrowing UpdateBatchView, into table: TypeTable, _ step: inout UpdateStep,
        _ leftover: inout [CellRecord]
    ) {
        var tally = CommitTally()
        table.pending.apply(repeats, of: batch, table.shards, plan: &plan, tally: &tally)
        _ = table.pending.settle(table.shards)
        var entries = table.pending.take()
        _ = table.publish(&entries, epoch: nil, gathering: &step.gathering, counts: &step.counts)
        step.summary.changed += repeats.count - tally.unchanged
        step.summary.unchanged += tally.unchanged
        step.summary.conflictingCells += tally.conflictingCells
        takeBack(&entries)
        for entry in entries { if let replaced = unsafe entry.held { unsafe leftover.append(replaced.take()) } }
        entries.removeAll(keepingCapacity: true)
        table.pending.give(entries)
    }
}

extension TypeTable {
    fileprivate func merge(
        _ batch: borrowing UpdateBatchView, plan: inout MergePlan, digests: inout [UInt64],
        _ step: inout UpdateStep, noting changes: inout BatchChanges?, passing repeats: Repeats,
        _ leftover: inout [CellRecord]
    ) {
        let shards = shards
        var byteCount = recordByteCount
        var ahead = LookAhead()
        let count = batch.count
        var position = LookAhead.start
        while position < count {
            ahead.begin(position, batch, shards, byteCount: byteCount)
            if position &+ LookAhead.reach < count {
                step.gathering.prefetch(ahead.hash(position &+ LookAhead.reach))
            }
            if position >= 0, !repeats.contains(position) {
                merge(
                    batch.update(at: position), ahead.hash(position), plan: &plan, digests: &digests, &step,
                    noting: &changes, &leftover, &byteCount)
            }
            ahead.end(byteCount: byteCount)
            position &+= 1
        }
        recordByteCount = byteCount
    }

    @inline(__always)
    private func merge(
        _ update: borrowing UpdateView, _ hash: UInt64, plan: inout MergePlan, digests: inout [UInt64],
        _ step: inout UpdateStep, noting changes: inout BatchChanges?, _ leftover: inout [CellRecord],
        _ byteCount: inout Int
    ) {
        // The array is looked up anew, as an insertion before may have made a larger one.
        let slots = shards.slots(of: hash)
        guard let slots, case let slot = slots.find(hash, update.id), slot >= 0 else {
            return insert(update, hash, plan: &plan, digests: &digests, &step, noting: &changes, &byteCount)
        }
        var result = unsafe slots.prepare(update, at: slot, plan: &plan, keepingEqual: changes != nil)
        let seat = unsafe result.isVisible ? step.gathering.seat(hash) : nil
        if unsafe result.isPrepared {
            // An update that would make too large a record is refused when it is noted.
            if let size = slots.overwritableByteCount(at: slot, plan), size <= changes?.byteCountMax ?? .max,
                step.overwrite(slots, at: slot, update, plan, seat, of: self)
            {
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
        unsafe byteCount = new.storedByteCount
        unsafe digests[Int(hash &>> 56)] &+= result.digestDelta
        step.summary.changed &+= 1
        var entry = unsafe Pending(
            new, hash, digestDelta: result.digestDelta, slot: slot, isVisible: result.isVisible,
            wasPresent: slots.isPresent(at: slot))
        step.counts.existing &+= (entry.isPresent ? 1 : 0) &- (entry.wasPresent ? 1 : 0)
        shards.exchange(&entry, epoch: nil)
        if let bounds { unsafe bounds.count(new, insteadOf: entry.held) }
        // The slot owns the new record from here on.
        if let seat { unsafe step.gathering.take(&entry.held, new, seat, of: name) }
        entry.giveBack(to: &plan)
        if let replaced = unsafe entry.held { unsafe leftover.append(replaced.take()) }
    }

    /// Inserts the first record of a model.
    private func insert(
        _ update: borrowing UpdateView, _ hash: UInt64, plan: inout MergePlan, digests: inout [UInt64],
        _ step: inout UpdateStep, noting changes: inout BatchChanges?, _ byteCount: inout Int
    ) {
        if let bounds, bounds.keepsBack(update, hash, plan: &plan) {
            step.summary.unchanged &+= 1
            return
        }
        var result = unsafe UnmanagedMerge(
            CellRecord.applying(update, to: nil, plan: &plan, keepingEqual: changes != nil))
        unsafe changes?.note(&result, update, plan)
        guard let new = unsafe result.record else {
            step.summary.unchanged &+= 1
            return
        }
        unsafe byteCount = new.storedByteCount
        unsafe digests[Int(hash &>> 56)] &+= result.digestDelta
        step.summary.changed &+= 1
        step.counts.records &+= 1
        if unsafe new.isPresent { step.counts.existing &+= 1 }
        if let bounds { unsafe bounds.count(new, insteadOf: nil) }
        unsafe shards.insert(new.take(), hash: hash, epoch: nil)
        guard let seat = unsafe result.isVisible ? step.gathering.seat(hash) : nil else { return }
        var old: UnmanagedRecord?
        unsafe step.gathering.take(&old, new, seat, of: name)
    }
}
