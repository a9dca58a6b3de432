@_spi(RecordWriting) public import ModelRecord
import Synchronization

extension ModelCache {
    /// Whether the copy holds a model, has evicted it, or knows of none.
    ///
    /// From any thread. Costs a read, which does not count as a use of the model.
    public func presence(of type: String, _ id: String) -> ModelPresence {
        // As long as not all senders have told which models there are, an unknown one may exist.
        let isBlind = isLazy && !(limiter?.knowsIDs.load(ordering: .relaxed) ?? false)
        guard let table = existingTable(type) else { return isBlind ? .evicted : .absent }
        let hash = SlotArray.hash(idHash: Fingerprint.fnv(id))
        let record = table.shards.record(hash, id.utf8.span, isUse: false)
        if record?.isPresent ?? false { return .here }
        // Nothing is missing of a model that is remembered as deleted.
        guard let bounds = table.bounds, record == nil || !isLazy else { return .absent }
        let isEvicted = bounds.absent.withLock { absent in
            isBlind ? !absent.hasEnded(hash, id.utf8.span) : absent.contains(hash, id.utf8.span)
        }
        return isEvicted ? .evicted : .absent
    }

    /// Takes note that all senders have told which models there are. Before that no model counts as one that does not
    /// exist in a copy that keeps ids.
    @_spi(CacheWriting)
    public func noteIDsKnown() {
        if let limiter, keepsIDs { limiter.knowsIDs.store(true, ordering: .relaxed) }
    }

    /// The copy is lazy, and knows nothing of the models that it does not hold.
    @_spi(CacheWriting)
    public var isBlind: Bool { limiter?.prefetch == CacheLimits.Prefetch.none }

    /// The model is evicted, or was when it was deleted: the copy has no record of it for its limits.
    @_spi(CacheWriting)
    public func hasLeft(_ type: String, _ id: String) -> Bool {
        guard let bounds = existingTable(type)?.bounds else { return isLazy }
        return bounds.absent.withLock { $0.hasLeft(SlotArray.hash(idHash: Fingerprint.fnv(id)), id.utf8.span) }
    }

    /// Models of the type have left the copy, and some are not back, or were deleted meanwhile and not forgotten yet.
    public func hasEvicted(_ type: String) -> Bool {
        existingTable(type)?.bounds?.absent.withLock { !$0.isEmpty } ?? isLazy
    }

    /// Models of some types may leave the copy.
    @_spi(CacheWriting)
    public var isLimited: Bool { limiter != nil }

    /// Only what is fetched comes into the copy.
    @_spi(CacheWriting)
    public var isLazy: Bool { limiter?.prefetch.isLazy ?? false }

    /// The copy knows the ids of the models that it does not hold, and holds only what is fetched.
    @_spi(CacheWriting)
    public var keepsIDs: Bool { limiter?.prefetch == .ids }

    /// The ids of the models of a type that the copy holds, and, where it keeps ids, of those that it does not hold. In
    /// no order.
    ///
    /// From any thread. Writes do not wait.
    /// - Complexity: O(*n*) in the models.
    public func ids(of type: String) -> [String] {
        // In one step: what leaves the copy, or comes back, between two looks might be in neither.
        let (snapshot, absent) = writerLock.withLock { _ in
            (self.snapshot(), keepsIDs ? existingTable(type)?.bounds?.absent.withLock { $0 } : nil)
        }
        var ids: [String] = []
        ids.reserveCapacity(snapshot.count(of: type) + (absent?.count ?? 0))
        snapshot.forEach(type: type) { record in
            ids.append(record.id)
            return true
        }
        absent?.forEachID { id in
            // A delete that is here may be older than what is known of the model since.
            if snapshot[type, id] == nil { ids.append(id) }
        }
        return ids
    }

    /// Models of the type may leave the copy.
    @_spi(CacheWriting)
    public func mayEvict(_ type: String) -> Bool { limits?.mayEvict(type) ?? false }

    /// How much the cache may hold; nil where nothing is limited.
    @_spi(CacheWriting)
    public var limits: CacheLimits? { limiter.map { limiter in writerLock.withLock { _ in limiter.limits } } }

    /// The counts of what has become of all types for their limits.
    @_spi(CacheWriting)
    public var evictionCounts: EvictionCounts {
        guard limiter != nil else { return EvictionCounts() }
        return directoryCopy().tables.reduce(EvictionCounts()) { sum, table in sum + counts(of: table) }
    }

    private func counts(of table: TypeTable) -> EvictionCounts {
        table.bounds?.absent.withLock { absent in
            var counts = absent.counts
            counts.evicted = absent.count
            return counts
        } ?? EvictionCounts()
    }

    /// How many models of a type are evicted now.
    public func evictedCount(of type: String) -> Int { existingTable(type).map { counts(of: $0).evicted } ?? 0 }

    /// The size of the models of a type as its limits count it, in bytes; 0 where the type has none.
    @_spi(CacheWriting)
    public func limitedByteCount(of type: String) -> Int {
        guard let table = existingTable(type), let bounds = table.bounds else { return 0 }
        return cut.withLock { _ in bounds.byteCount }
    }

    /// Keeps a model in the copy, or lets it go again. As often as it was pinned it has to be let go.
    @_spi(CacheWriting)
    public func setPinned(_ isPinned: Bool, type: String, id: String) {
        guard let bounds = makeTable(type).bounds else { return }
        let key = SeededHash.of(id.utf8.span)
        bounds.pinned.withLock { pinned in
            let count = pinned[key, default: 0] + (isPinned ? 1 : -1)
            pinned[key] = count > 0 ? count : nil
        }
    }

    /// Sets other limits. A type that had none when its first model came has none from then on either.
    @_spi(CacheWriting)
    public func setLimits(_ limits: CacheLimits) {
        guard let limiter else { return }
        var limits = limits
        limits.prefetch = limiter.prefetch
        let tables = setTableLimits(limits)
        writerLock.withLock { _ in
            limiter.limits = limits
            for table in tables { table.bounds?.limits = limits.bounds(of: table.name) ?? ModelLimits() }
        }
    }

    // MARK: On the way back

    /// From now on all that comes of these models is kept beside the copy, until ``Commit/endArrivals(_:type:)``.
    @_spi(CacheWriting)
    public func beginArrivals(_ ids: [String], type: String) {
        // A lazy copy may not have met the type yet.
        guard let bounds = (isLazy ? makeTable(type) : existingTable(type))?.bounds else { return }
        bounds.absent.withLock { absent in for id in ids { absent.beginArrival(ExactText(id)) } }
    }

    /// Gives up to bring these models back. They stay evicted.
    @_spi(CacheWriting)
    public func cancelArrivals(_ ids: [String], type: String) {
        guard let bounds = existingTable(type)?.bounds else { return }
        bounds.absent.withLock { absent in for id in ids { absent.cancelArrival(ExactText(id)) } }
    }

    /// Joins records to what has come of arriving models. Others are left alone.
    @_spi(CacheWriting)
    public func keepArriving(_ records: [CellRecord], type: String) {
        guard let bounds = existingTable(type)?.bounds else { return }
        var plan = MergePlan()
        bounds.absent.withLock { absent in
            for record in records { absent.keep(record, plan: &plan) }
        }
    }
}

extension ModelCache {
    /// An empty cache without limits that passes over what has left another for its limits. For a copy that is to take
    /// the place of the other.
    @_spi(CacheWriting)
    public convenience init(passingOver other: ModelCache) {
        guard let limits = other.limits else {
            self.init()
            return
        }
        let tables = other.directoryCopy().tables
        let types = tables.filter { $0.bounds != nil }.map { ($0.name, ModelLimits()) }
        var none = CacheLimits(types: Dictionary(types) { $1 }, all: limits.all.map { _ in ModelLimits() })
        none.prefetch = limits.prefetch
        self.init(limits: none)
        // Which ids there are is told anew.
        guard !other.keepsIDs else { return }
        for table in tables {
            guard let bounds = table.bounds else { continue }
            let absent = bounds.absent.withLock { $0.withoutArrivals }
            makeTable(table.name).bounds?.absent.withLock { $0 = absent }
        }
    }
}

extension ModelCache {
    /// Takes over which models a copy made with ``init(passingOver:)`` knows to exist. For a cache that keeps ids.
    /// - Parameters:
    ///   - isWanted: whether a bucket of a type is taken over.
    ///   - young: what has a later stamp here stays known, too.
    @_spi(CacheWriting)
    public func renewIDs(from other: ModelCache, young: Stamp, where isWanted: (_ type: String, _ bucket: Int) -> Bool)
    {
        guard keepsIDs else { return }
        // Types without models here are among them: ids of theirs may be known.
        let types = Set((directoryCopy().tables + other.directoryCopy().tables).map(\.name))
        for type in types.sorted() {
            let anew = other.makeTable(type).bounds?.absent.withLock { $0 }
            guard let anew, let bounds = makeTable(type).bounds else { continue }
            bounds.absent.withLock { absent in
                for bucket in 0..<256 where isWanted(type, bucket) { absent.renew(bucket, from: anew, young: young) }
            }
        }
    }
}

extension Commit {
    /// Takes note of models that exist, or are deleted, as these records say. Those that are here stay as they are.
    @_spi(CacheWriting)
    public mutating func noteIDs(_ records: [CellRecord], type: String) {
        let table = touch(type)
        guard let bounds = table.bounds else { return }
        var plan = MergePlan()
        for record in records {
            let hash = SlotArray.hash(idHash: record.idHash)
            let held = table.shards.record(hash, record.idBytes, isUse: false)
            switch held {
            // Also a delete where an earlier one is here, which may leave as well.
            case let held? where held.exists || !record.exists:
                if held.lastStamp < record.lastStamp { bounds.absent.withLock { $0.noteLater(record, hash) } }
            // A write that is later than a delete which is here came in a batch that did not come here. Of one at the
            // same stamp the names decide.
            case let held? where record.lastStamp < held.lastStamp: break
            default: _ = bounds.keepsBack(record, hash, plan: &plan)
            }
        }
    }

    /// Shows the models that have been fetched. Those of which nothing has come do not exist.
    /// - Parameter isSure: all senders have answered. Otherwise those of which nothing has come stay as they were.
    @_spi(CacheWriting)
    public mutating func endArrivals(_ ids: [String], type: String, isSure: Bool = true) {
        let table = touch(type)
        guard let bounds = table.bounds else { return }
        for id in ids {
            let hash = SlotArray.hash(idHash: Fingerprint.fnv(id))
            let found = bounds.absent.withLock { $0.endArrival(ExactText(id), hash, isSure: isSure) }
            if let found { arrive(found, in: table) }
        }
    }
}
