public import ModelRecord

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
    /// Replaces the state of a model, or removes it.
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
        guard let new = record ?? old?.removed(plan: &plan) else { return }
        unsafe add(
            Pending(
                UnmanagedRecord(new), hash, digestDelta: new.digest &- (old?.digest ?? 0), slot: slot,
                isVisible: new.isVisiblyDifferent(from: old), existed: old?.exists ?? false,
                isRemoval: record == nil))
    }
}

extension TypeTable {
    /// Removes models for good, after their last records have been published. Under the cut lock and the writer lock.
    /// - Parameter removals: the mixed hash of each model, and a record that has its id.
    func remove(_ removals: [(hash: UInt64, record: CellRecord)], epoch: UInt64?, counts: inout TableCounts) {
        for (hash, record) in removals {
            if shards.remove(hash, record.idBytes, epoch: epoch) { counts.records -= 1 }
        }
    }
}

extension ModelCache {
    /// How many deleted models of `type` are remembered as tombstones.
    @_spi(CacheWriting)
    public func tombstoneCount(of type: String) -> Int {
        guard let table = existingTable(type) else { return 0 }
        return cut.withLock {
            let counts = $0.counts(of: table)
            return counts.records - counts.existing
        }
    }

    /// Removes tombstones whose floor is older than `stamp`, in one commit.
    /// - Parameters:
    ///   - buckets: the buckets to search, within 0..<256. A part of them at a time bounds the work.
    ///   - limit: the greatest number of tombstones to remove.
    /// - Returns: how many were removed.
    /// - Complexity: O(*models in the buckets*); O(1) where the type has no tombstone.
    @discardableResult
    @_spi(CacheWriting)
    public func dropTombstones(
        of type: String, buckets: Range<Int> = 0..<256, olderThan stamp: Stamp, limit: Int = .max
    ) -> Int {
        guard limit > 0, tombstoneCount(of: type) > 0 else { return 0 }
        var ids: [String] = []
        snapshot().forEach(type: type, buckets: buckets, includingTombstones: true) { record in
            if !record.exists, (record.floor?.stamp ?? 0) < stamp { ids.append(record.id) }
            return ids.count < limit
        }
        guard !ids.isEmpty else { return 0 }
        return commit { commit in
            for id in ids {
                // Another thread may have brought the model back since the snapshot.
                let current = commit.current(type: type, id: id.utf8.span, idHash: Fingerprint.fnv(id))
                guard let current, !current.exists, (current.floor?.stamp ?? 0) < stamp else { continue }
                commit.overwrite(type: type, id: id, with: nil)
            }
        }.1.changed
    }

    /// Forgets the removed fields of models whose stamps are below `stamp`, in one commit. Readers and digests do not
    /// see a difference.
    /// - Parameter buckets: the buckets to search, within 0..<256. A part of them at a time bounds the work.
    /// - Returns: how many models have forgotten a field.
    /// - Complexity: O(*fields of the models in the buckets*)
    @discardableResult
    @_spi(CacheWriting)
    public func dropRemovedFields(of type: String, buckets: Range<Int> = 0..<256, olderThan stamp: Stamp) -> Int {
        guard existingTable(type) != nil else { return 0 }
        var ids: [String] = []
        snapshot().forEach(type: type, buckets: buckets) { record in
            if record.hasRemovedFields(olderThan: stamp) { ids.append(record.id) }
            return true
        }
        guard !ids.isEmpty else { return 0 }
        return commit { commit in
            var plan = MergePlan()
            for id in ids {
                // Another thread may have written the model since.
                let current = commit.current(type: type, id: id.utf8.span, idHash: Fingerprint.fnv(id))
                guard let less = current?.forgettingRemovedFields(olderThan: stamp, plan: &plan) else { continue }
                commit.overwrite(type: type, id: id, with: less)
            }
        }.1.changed
    }
}
