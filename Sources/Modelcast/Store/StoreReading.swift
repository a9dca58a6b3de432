import Logging
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire

/// Reads the store of a service into its cache, at the start.
///
/// A row of a damaged file whose checksum is right is true, and stays. Missing rows must be fetched anew, so no
/// position may cover them: an unreadable row of a type costs the positions of that type, and damage to the structure,
/// or missing commits, cost all positions. ``rebuild()`` sets the damaged file aside, and writes what was read to a new
/// one, on disk, before the service begins.
///
/// Facts tell how old the records are and which streams were pushed. Where facts are damaged, the records stay all the
/// same, but count as old, and no position covers them.
struct StoreReading {
    let store: Store
    let owner: StoreLink.Owner
    let name: String
    let prefixes: [Topic]?
    let cache: ModelCache
    let logger: Logger

    private(set) var start = StoreLink.Start()
    private var damage = StoreDamage()
    /// The facts cannot be read at all.
    private var areFactsLost = false
    private var unwanted = StoreChanges()

    init(
        store: Store, owner: StoreLink.Owner, name: String, prefixes: [Topic]?, cache: ModelCache, logger: Logger
    ) {
        self.store = store
        self.owner = owner
        self.name = name
        self.prefixes = prefixes
        self.cache = cache
        self.logger = logger
    }

    /// True where the store may lack models of an earlier start. A start that fails before it runs, perhaps because it
    /// could recover nothing, leaves an empty file, which the next start must not take for complete.
    var isNew: Bool {
        store.openReport.result == .created || !damage.isEmpty || start.facts.isPartial
            || start.facts[StoreLink.Fact.new] == [1]
    }

    /// True where the file may lack writes that others hold: it was damaged, it may be an older copy, which has no
    /// mark, or a run was killed. The fact is of that run, whose durability counts here, and not that of this run. A
    /// file of an older version does not have it.
    func mayLack(after report: OpenReport) -> Bool {
        let told = start.facts[StoreLink.Fact.lack]?.first.flatMap(StoreLink.Lack.init)
        return !damage.isEmpty || report.setAside != nil || report.isUnmarked || told == .now
            || (!report.wasClosed && told != .never)
    }

    /// Logs the findings of the opening. The loss of a file that was set aside as a whole is told like that of a part:
    /// with its commits, its consequence, and what to do.
    func logOpening() {
        let report = store.openReport
        var metadata: Logger.Metadata = [owner.rawValue: "\(name)"]
        guard let aside = report.setAside else {
            return logger.log(level: report.isOrdinary ? .info : .warning, "store: \(report)", metadata: metadata)
        }
        let isTimeKnown = aside.lost?.untilMilliseconds != nil
        metadata["damage"] = "\(StoreDamage.everything(aside.lost))"
        metadata["consequence"] = "\(owner.consequenceOfTotalLoss(isTimeKnown: isTimeKnown))"
        logger.warning("store: damaged, and begun anew: \(report)", metadata: metadata)
    }

    /// Reads everything, and leaves a store that may be written to.
    mutating func run() throws(StoreError) {
        try salvaging { reading throws(StoreError) in reading.start.facts = try reading.store.facts() }
        areFactsLost = !damage.isEmpty
        try checkOwner()
        if store.damagedRows.contains(where: { $0.table == .fact }) { damage.hasFacts = true }
        let isUsable = prefixes.map { start.facts.prefixes == nil || start.facts.covers($0) } ?? true
        guard isUsable || !damage.isEmpty else {
            logger.warning(
                "store: it holds less than is replicated now; it is emptied, and everything fetched anew",
                metadata: [owner.rawValue: "\(name)", "path": "\(store.path)"])
            start.facts.aliveMilliseconds = nil
            try salvaging { reading throws(StoreError) in try reading.store.confirm() }
            if damage.isEmpty { try empty() }
            return try finish()
        }
        try salvaging { reading throws(StoreError) in try reading.readRecords() }
        try salvaging { reading throws(StoreError) in try reading.readState() }
        countAsOld()
        damage.add(store.damagedRows)
        try salvaging { reading throws(StoreError) in try reading.store.confirm() }
        try finish()
    }

    /// Notes damage that `read` finds, and goes on.
    private mutating func salvaging(
        _ read: (inout StoreReading) throws(StoreError) -> Void
    ) throws(StoreError) {
        do {
            try read(&self)
        } catch  where error.code == .corrupt {
            damage.structure.append(error.detail)
        }
    }

    private mutating func finish() throws(StoreError) {
        if start.facts.isPartial { damage.structure.append("it was being written anew when its process ended") }
        guard damage.isEmpty else { return try rebuild() }
        if !unwanted.isEmpty { try store.write(unwanted, durably: false) }
        var changes = StoreChanges()
        changes.facts = identity
        try store.write(changes, durably: false)
    }

    private var identity: StoreFacts {
        var facts = StoreLink.identity(owner, name, prefixes)
        if owner == .publisher, isNew { facts[StoreLink.Fact.new] = [1] }
        return facts
    }

    /// Refuses a store that belongs to another service, and leaves it as it is.
    private func checkOwner() throws(StoreError) {
        let facts = start.facts
        if let known = facts[StoreLink.Fact.owner], known != Array(owner.rawValue.utf8) {
            let kind = String(decoding: known, as: UTF8.self).shown()
            throw StoreError(
                .otherOwner, path: store.path, "it is the store of a \(kind), and this is a \(owner.rawValue)")
        }
        // The models of a publisher bear its name, and jobs wait for what a relay of that name has acknowledged. A
        // subscriber's copy is usable under any name.
        guard owner != .subscriber, let known = facts.ownName, known != name else { return }
        throw StoreError(
            .otherOwner, path: store.path,
            "it is the store of the \(owner.rawValue) \(known.shown()), not of \(name)")
    }
}

// MARK: Rows

extension StoreReading {
    private mutating func readRecords() throws(StoreError) {
        let (prefixes, cache) = (prefixes, cache)
        let found = Guarded((lastStamp: Stamp(0), unwanted: StoreChanges()))
        // Also where damage ends the reading, as the rows before it stay.
        defer { (start.lastStamp, unwanted) = found.withLock { ($0.lastStamp, $0.unwanted) } }
        let report = try store.forEachChunk { type, records in
            guard StoreReading.isWanted(type, prefixes), !cache.mayEvict(type) else {
                return found.withLock { for record in records { $0.unwanted.remove(record, type: type) } }
            }
            cache.commit { commit in commit.join(records, type: type) }
            let last = records.reduce(0) { max($0, $1.lastStamp) }
            found.withLock { $0.lastStamp = max($0.lastStamp, last) }
        }
        damage.add(report)
    }

    private static func isWanted(_ type: String, _ prefixes: [Topic]?) -> Bool {
        let topic = Topic.data(type: type)
        return prefixes?.contains { topic.overlaps($0.bytes) } ?? true
    }

    private mutating func readState() throws(StoreError) {
        for head in try store.heads() where prefixes?.contains(where: { head.topic.overlaps($0.bytes) }) ?? true {
            // The records of the type are not in the file any more, so a later run without limits must not go on from
            // there.
            if let type = head.topic.type, cache.mayEvict(type) {
                unwanted.heads.append(
                    StoredHead(origin: head.origin, topic: head.topic, incarnation: head.incarnation, sequence: 0))
                continue
            }
            start.positions.append(
                StreamPosition(
                    origin: head.origin, topic: head.topic, incarnation: head.incarnation, applied: head.sequence,
                    isPushed: isPushed(head.origin), hasTransactions: hasTransactions(head.origin)))
        }
        let name = name
        start.own = try store.origins().first { $0.name == name }
        // The batches before the damage stay.
        var batches: [StoredBatch] = []
        defer { start.batches = batches }
        try store.forEachBatch { batch in
            batches.append(batch)
            return true
        }
    }

    /// True for an origin that was pushed. A relay that has lost its facts takes every origin for pushed, as it must
    /// not drop models that nobody else may have.
    private func isPushed(_ origin: String) -> Bool {
        isTold(StoreLink.Fact.pushed + origin) || (areFactsLost && owner == .relay)
    }

    /// True for an origin that has sent transactions over several topics. Where facts are lost every origin counts as
    /// such, as no transaction may show in part.
    private func hasTransactions(_ origin: String) -> Bool {
        isTold(StoreLink.Fact.transactions + origin) || areFactsLost
    }

    /// The fact is in the file, or its row is damaged.
    private func isTold(_ name: String) -> Bool {
        start.facts[name] != nil || store.damagedRows.contains { $0.table == .fact && $0.key == name }
    }

    /// Removes all records, heads, origins and batches.
    private func empty() throws(StoreError) {
        var changes = StoreChanges()
        try store.forEachRecord { type, record in changes.remove(record, type: type) }
        var origins = Set(try store.origins().map(\.name)).union(try store.heads().map(\.origin))
        try store.forEachBatch { batch in
            origins.insert(batch.origin)
            return true
        }
        changes.removedOrigins = Array(origins)
        try store.write(changes, durably: true)
    }
}

// MARK: Damage

extension StoreReading {
    /// Sets the file aside and writes what was read to a new one.
    private mutating func rebuild() throws(StoreError) {
        let report = try store.replace(because: "damage found at the start")
        let damage = damage
        logger.warning(
            "store: damaged, and begun anew: \(report)",
            metadata: [
                owner.rawValue: "\(name)", "damage": "\(damage)", "consequence": "\(owner.consequenceOfPartLoss)",
            ])
        let facts = Set(start.positions.flatMap(StoreLink.Fact.facts(of:)))
        dropPositions()
        // Batches come first, as their senders were promised that they are kept. Heads come last, as they cover
        // everything before them.
        var first = StoreChanges()
        first.facts = identity
        first.facts.aliveMilliseconds = start.facts.aliveMilliseconds
        for (name, value) in start.facts.values where StoreLink.Fact.ofOrigins.contains(where: name.hasPrefix) {
            first.facts[name] = value
        }
        for fact in facts { first.facts[fact] = [1] }
        first.facts[StoreLink.Fact.void] = start.facts[StoreLink.Fact.void]
        first.origins = start.own.map { [$0] } ?? []
        first.batches = start.batches
        try store.write(first, durably: true)
        try writeRecords()
        var last = StoreChanges()
        last.heads = start.positions.map {
            StoredHead(origin: $0.origin, topic: $0.topic, incarnation: $0.incarnation, sequence: $0.applied)
        }
        last.facts.isPartial = false
        try store.write(last, durably: true)
    }

    /// Where the time of a replica's last contact with its senders is unknown, it counts as very long ago. Models that
    /// were deleted since may be forgotten everywhere, so the replica builds its state anew and keeps what was pushed.
    private mutating func countAsOld() {
        guard owner != .publisher, damage.hasFacts || areFactsLost, start.facts.aliveMilliseconds == nil else { return }
        start.facts.aliveMilliseconds = 0
    }

    /// Drops the positions that may cover something missing. Where the state is to be built anew, a pushed stream keeps
    /// a position with sequence 0, so that it stays known as pushed; stored batches tell the same of their streams.
    private mutating func dropPositions() {
        let batches = Set(start.batches.map { StreamName(origin: $0.origin, topic: $0.topic) })
        let isOld = start.facts.aliveMilliseconds == 0
        start.positions = start.positions.compactMap { position in
            guard damage.concerns(position.topic.type) else { return position }
            guard isOld, position.isPushed,
                !batches.contains(StreamName(origin: position.origin, topic: position.topic))
            else { return nil }
            var known = position
            known.applied = 0
            return known
        }
    }

    private struct StreamName: Hashable {
        let origin: String
        let topic: Topic
    }

    private static let recordCountMax = 4096

    private func writeRecords() throws(StoreError) {
        let snapshot = cache.snapshot()
        var changes = StoreChanges()
        var failure: StoreError?
        for type in snapshot.types {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                changes.upsert(record, type: type)
                guard changes.records.count == StoreReading.recordCountMax else { return true }
                do throws(StoreError) { try store.write(changes, durably: false) } catch { failure = error }
                changes = StoreChanges()
                return failure == nil
            }
        }
        if let failure { throw failure }
        try store.write(changes, durably: false)
    }
}
