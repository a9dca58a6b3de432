@_spi(RecordWriting) public import ModelRecord

extension ModelCache {
    /// How many deleted models of `type` are remembered: as tombstones, and those that had been evicted before.
    @_spi(CacheWriting)
    public func tombstoneCount(of type: String) -> Int {
        guard let table = existingTable(type) else { return 0 }
        return tombstoneCount(of: table) + (table.bounds?.absent.withLock(\.endedCount) ?? 0)
    }

    private func tombstoneCount(of table: TypeTable) -> Int {
        cut.withLock {
            let counts = $0.counts(of: table)
            return counts.records - counts.existing
        }
    }

    /// Removes tombstones whose floor is older than `stamp`, in one commit, and forgets deletes of evicted models that
    /// are.
    /// - Parameters:
    ///   - buckets: the buckets to search, within 0..<256. A part of them at a time bounds the work.
    ///   - limit: the greatest number of tombstones to remove.
    /// - Returns: how many tombstones were removed.
    /// - Complexity: O(*models in the buckets*); O(1) where the type has no tombstone.
    @discardableResult
    @_spi(CacheWriting)
    public func dropTombstones(
        of type: String, buckets: Range<Int> = 0..<256, olderThan stamp: Stamp, limit: Int = .max
    ) -> Int {
        guard let table = existingTable(type) else { return 0 }
        table.bounds?.absent.withLock { $0.dropEnded(buckets, olderThan: stamp) }
        guard limit > 0, tombstoneCount(of: table) > 0 else { return 0 }
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
