@_spi(RecordWriting) public import ModelRecord

extension Commit {
    /// Sets the state of a model to exactly this record, whatever the versions say, or removes the model.
    ///
    /// The one exception to the merge. It serves a copy that is replaced as a whole by a better one, and tombstones
    /// that nobody needs any more. A removed model gives its memory back. Open snapshots still show it, and observers
    /// are told where a reader can see a difference. The same commit must not change an overwritten model again.
    /// - Parameter record: the new state, of this id; nil removes the model with its tombstone.
    @_spi(CacheWriting)
    public mutating func overwrite(type: String, id: String, with record: CellRecord?) {
        precondition(record.map { $0.hasID(id.utf8.span) } ?? true, "a record of another id")
        let table = touch(type)
        overwrite(table, id.utf8.span, idHash: Fingerprint.fnv(id), with: record)
    }
}

extension PendingSet {
    /// Replaces the state of a model, or removes it. Observers are told where a reader can see a difference.
    mutating func overwrite(
        _ id: Span<UInt8>, _ hash: UInt64, with record: CellRecord?, _ shards: Shards, plan: inout MergePlan,
        tally: inout CommitTally
    ) {
        reserve(1)
        let slots = shards.slots(of: hash)
        let slot = slots?.find(hash, id) ?? -1
        let old = slot < 0 ? nil : slots?.record(at: slot)
        guard position(hash, id) < 0, old != record else {
            tally.unchanged += 1
            return
        }
        var record = record
        // The record is a caller's and seen by others: one that is to be withdrawn is a copy.
        if let old, old.isWithdrawn, let new = record, new.exists, !new.isWithdrawn, new.lease == old.lease {
            record = new.settingWithdrawn(true)
        }
        guard let new = record ?? old?.removed(plan: &plan) else { return }
        unsafe add(
            Pending(
                UnmanagedRecord(new), hash, digestDelta: new.digest &- (old?.digest ?? 0), slot: slot,
                isVisible: new.isVisiblyDifferent(from: old), wasPresent: old?.isPresent ?? false,
                isRemoval: record == nil))
    }

    /// Removes a model that leaves the copy for its limits.
    /// - Parameter isTold: some observer has asked to be told of that.
    mutating func evict(
        _ record: CellRecord, _ hash: UInt64, isTold: Bool, _ shards: Shards, plan: inout MergePlan,
        tally: inout CommitTally
    ) {
        reserve(1)
        let slots = shards.slots(of: hash)
        let slot = slots?.find(hash, record.idBytes) ?? -1
        guard slot >= 0, let old = slots?.record(at: slot), position(hash, record.idBytes) < 0 else {
            tally.unchanged += 1
            return
        }
        let (gone, wasPresent) = (old.evicted(plan: &plan), old.isPresent)
        unsafe add(
            Pending(
                UnmanagedRecord(gone), hash, digestDelta: gone.digest &- old.digest, slot: slot,
                isVisible: isTold && wasPresent, wasPresent: wasPresent, isRemoval: true))
    }
}

extension TypeTable {
    /// Removes models for good, after their last records have been published. Under the cut lock and the writer lock.
    /// - Parameter removals: the mixed hash of each model, and a record that has its id.
    func remove(_ removals: [(hash: UInt64, record: CellRecord)], epoch: UInt64?, counts: inout TableCounts) {
        for (hash, record) in removals {
            guard shards.remove(hash, record.idBytes, epoch: epoch) else { continue }
            counts.records -= 1
            if let bounds { unsafe bounds.count(nil, insteadOf: UnmanagedRecord(address: record.address)) }
        }
    }
}
