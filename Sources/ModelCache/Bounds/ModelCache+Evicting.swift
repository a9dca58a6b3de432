@_spi(RecordWriting) import ModelRecord

extension ModelCache {
    /// Evicts what exceeds the limits, those models first that have been used least lately, and idle ones.
    ///
    /// Called after each batch, from the thread that commits, and now and then while nothing comes. Models that
    /// somebody observes by their id, that are pinned or leased stay; so do deletes, until they are forgotten.
    /// - Parameter now: the time in microseconds, on a clock that never goes back.
    /// - Returns: how many models have left.
    /// - Complexity: O(*types with a limit*), and O(*models that leave*) on average; a call looks at some thousand
    ///   places more than it needs, at most.
    @discardableResult
    @_spi(CacheWriting)
    public func enforceLimits(now: UInt64) -> Int {
        guard let limiter else { return 0 }
        let tables = directoryCopy().tables.filter { $0.bounds != nil }
        var count = 0
        for table in tables {
            if let bounds = table.bounds { count += dropIdle(table, bounds, now: now) }
        }
        for (table, size) in zip(tables, sizes(of: tables)) {
            guard let bounds = table.bounds else { continue }
            let excess = Excess(of: size, over: bounds.limits)
            if excess.isAny { count += evict(excess, size, from: [table], bounds.hand) }
        }
        guard let all = limiter.limits.all, all.count != nil || all.bytes != nil else { return count }
        // One hand goes around all types, so that a type in which nothing is written loses only what nobody reads.
        let size = sizes(of: tables).reduce(Size(), +)
        let excess = Excess(of: size, over: all)
        return excess.isAny ? count + evict(excess, size, from: tables, limiter.hand) : count
    }

    /// Takes the deletes of a type out of the table of a lazy copy, which remembers beside it when each was: what is
    /// written to such a model, and the copy was not told, is in none of its records.
    /// - Returns: the ids of the models of the type.
    @_spi(CacheWriting)
    public func evictDeletes(of type: String) -> [String] { evict(of: type, modelsToo: false).staying }

    /// Evicts all models of a type, those included that must stay.
    /// - Returns: how many have left, and the ids of those that must stay.
    @_spi(CacheWriting)
    public func evictAll(of type: String) -> (count: Int, staying: [String]) { evict(of: type, modelsToo: true) }

    private func evict(of type: String, modelsToo leaves: Bool) -> (count: Int, staying: [String]) {
        guard let table = existingTable(type), let bounds = table.bounds else { return (0, []) }
        var staying: [String] = []
        var count = 0
        commit { commit in
            var victims: [Victim] = []
            self.cut.withLock { cut in
                for shard in 0..<Shards.count {
                    table.shards.slots(at: shard)?.all { hash, record in
                        if record.isPresent {
                            if !leaves || !self.mayLeave(record, hash, of: table, bounds, cut) {
                                staying.append(record.id)
                            }
                            guard leaves else { return }
                            count += 1
                        }
                        victims.append((hash, record))
                    }
                }
            }
            commit.evict(victims, from: table)
        }
        return (count, staying.sorted { ExactText($0) < ExactText($1) })
    }

    private func sizes(of tables: [TypeTable]) -> [Size] {
        cut.withLock { cut in
            tables.map { Size(count: cut.counts(of: $0).existing, bytes: $0.bounds?.byteCount ?? 0) }
        }
    }

    private func evict(_ excess: Excess, _ size: Size, from tables: [TypeTable], _ hand: SearchHand) -> Int {
        commit { commit in
            let looks =
                ModelCache.looksMin + min(tables.count, 64) * Shards.count * 2
                + excess.looks(perRecord: size.bytes / max(size.count, 1))
            for (table, victims) in self.victims(excess, of: tables, hand, looks: looks) {
                commit.evict(victims, from: table)
            }
        }.1.changed
    }

    /// Chooses models to be evicted. Under the writer lock, in the body of a commit.
    private func victims(
        _ excess: Excess, of tables: [TypeTable], _ hand: SearchHand, looks: Int
    ) -> [(TypeTable, [Victim])] {
        var (left, looks) = (excess, looks)
        var found: [Int: [Victim]] = [:]
        // The victims of the first time around, which the hand comes by again.
        var passed: Set<UInt>?
        func place(of record: CellRecord) -> UInt { unsafe UInt(bitPattern: record.address) }
        cut.withLock { cut in
            // The hand goes around twice at most, and ends where it began: the first time it may find all in use.
            let shardCount = tables.count * Shards.count
            for step in 0...shardCount * 2 where left.isAny && looks > 0 {
                if step == shardCount { passed = Set(found.values.joined().lazy.map { place(of: $0.record) }) }
                hand.table %= tables.count
                let table = tables[hand.table]
                looks -= 1
                if let bounds = table.bounds, let slots = table.shards.slots(at: hand.shard) {
                    let start = hand.index
                    hand.index = slots.unused(from: start, looks: looks) { hash, record in
                        guard mayLeave(record, hash, of: table, bounds, cut) else { return true }
                        if passed?.insert(place(of: record)).inserted == false { return true }
                        left.take(record)
                        found[hand.table, default: []].append((hash, record))
                        return left.isAny
                    }
                    looks -= hand.index - start
                    if hand.index < slots.capacity { continue }
                }
                hand.goOn(around: tables.count)
            }
        }
        return found.sorted { $0.key < $1.key }.map { (tables[$0.key], $0.value) }
    }

    /// How many places a search looks at beside those that it needs: all places of a small table.
    private static let looksMin = 4_096

    /// Evicts the models of the next shards that have been idle for too long, so many that half of the idle time takes
    /// the look around all.
    private func dropIdle(_ table: TypeTable, _ bounds: TableBounds, now: UInt64) -> Int {
        guard let idle = bounds.limits.idle else { return 0 }
        let pause = max(idle.limitMicroseconds / 2 / UInt64(Shards.count), 1)
        if bounds.idleLook.at == 0 { bounds.idleLook.at = now + pause }
        guard now >= bounds.idleLook.at else { return 0 }
        let count = min(Int((now - bounds.idleLook.at) / pause) + 1, Shards.count)
        bounds.idleLook.at = max(bounds.idleLook.at + UInt64(count) * pause, now)
        return commit { commit in
            var victims: [Victim] = []
            self.cut.withLock { cut in
                for _ in 0..<count {
                    table.shards.slots(at: bounds.idleLook.shard)?.idle { hash, record in
                        if self.mayLeave(record, hash, of: table, bounds, cut) { victims.append((hash, record)) }
                    }
                    bounds.idleLook.shard = (bounds.idleLook.shard + 1) % Shards.count
                }
            }
            commit.evict(victims, from: table)
        }.1.changed
    }

    /// Readers see the model, nobody observes it by its id, nobody has pinned it, and it is not leased.
    private func mayLeave(
        _ record: CellRecord, _ hash: UInt64, of table: TypeTable, _ bounds: TableBounds, _ cut: borrowing Cut
    ) -> Bool {
        record.isPresent && cut.observers[table.number]?.modelsIfAny?.seat(hash) == nil
            && !bounds.isPinned(record.idBytes) && record.lease == nil
    }
}

/// How much a table holds.
private struct Size {
    var count = 0
    var bytes = 0

    static func + (left: Self, right: Self) -> Self {
        Self(count: left.count + right.count, bytes: left.bytes + right.bytes)
    }
}

/// A model that is to leave, with the hash of its id in the table.
private typealias Victim = (hash: UInt64, record: CellRecord)

/// How much is too much.
private struct Excess {
    var count: Int
    var bytes: Int

    init(of size: Size, over limits: ModelLimits) {
        count = limits.count.map { max(size.count - $0, 0) } ?? 0
        bytes = limits.bytes.map { max(size.bytes - $0, 0) } ?? 0
    }

    var isAny: Bool { count > 0 || bytes > 0 }

    mutating func take(_ record: CellRecord) {
        count -= 1
        bytes -= unsafe UnmanagedRecord(address: record.address).storedByteCount + ModelLimits.overheadByteCount
    }

    /// How many places it takes to find so much, where three of four places have been used.
    func looks(perRecord byteCount: Int) -> Int { (max(count, 0) + max(bytes, 0) / max(byteCount, 1)) * 16 }
}

extension Commit {
    /// Takes models out of the copy. Only observers that have asked for it are told; an open snapshot still shows them.
    fileprivate mutating func evict(_ victims: [Victim], from table: TypeTable) {
        guard !victims.isEmpty else { return }
        let isTold = hasEvictionObservers(of: table)
        for (index, (hash, record)) in victims.enumerated() {
            // The records are in no cache of the processor, as nobody has used them for long.
            let ahead = victims[min(index + 4, victims.count - 1)].record
            unsafe UnmanagedRecord.prefetch(ahead.address, byteCount: table.recordByteCount)
            table.bounds?.absent.withLock { $0.insert(hash, record) }
            evict(hash, record, from: table, isTold: isTold)
        }
    }
}

extension Duration {
    /// Whole microseconds; of a limit, which is at least a second.
    fileprivate var limitMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000_000)
    }
}
