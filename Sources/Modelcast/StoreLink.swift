import Logging
import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire

/// The store of a service: read when the service is made, written behind while it runs.
final class StoreLink: Sendable {
    /// What a store is of. One kind does not go on with the file of another.
    enum Owner: String {
        case publisher, relay, subscriber
    }

    /// What was found at the start, beside the records, which are in the cache.
    struct Start: Sendable {
        var facts = StoreFacts()
        var positions: [StreamPosition] = []
        /// Batches in the order in which they were stored; their records may be in the cache or not.
        var batches: [StoredBatch] = []
        /// The greatest stamp in any record.
        var lastStamp: Stamp = 0
        /// What is known of the publisher itself.
        var own: StoredOrigin?
    }

    let behind: WriteBehind
    let mail: StoreMail
    let path: String
    /// The facts that say whose store it is.
    let identity: StoreFacts
    /// The file was created or set aside, and no start since has run.
    let isNew: Bool
    private let start: Guarded<Start>

    /// Opens the file, reads it into an empty cache, and begins to note what changes there.
    /// - Parameter prefixes: what the service replicates; what else the file holds is let go. Nil for a publisher.
    init(
        path: String, owner: Owner, name: String, prefixes: [[UInt8]]?, cache: ModelCache,
        settings: WriteBehindConfiguration, logger: Logger
    ) throws(ModelcastError) {
        let mail = StoreMail()
        self.mail = mail
        self.path = path
        identity = StoreLink.identity(owner, name, prefixes?.map { Topic(bytes: $0) })
        do throws(StoreError) {
            let store = try Store.open(path: path)
            let report = store.openReport
            logger.log(
                level: report.setAside == nil ? .info : .warning, "store: \(report)",
                metadata: [owner.rawValue: "\(name)"])
            var start = Start()
            let isWhole = try StoreLink.read(
                store, owner: owner, name: name, prefixes: prefixes?.map { Topic(bytes: $0) }, cache: cache,
                start: &start, logger: logger)
            isNew = StoreLink.isNew(report, isWhole: isWhole, start.facts)
            self.start = Guarded(start)
            behind = WriteBehind(store, configuration: settings) { mail.add($0) }
            if !isWhole { noteEverything(of: cache) }
        } catch {
            throw ModelcastError(error)
        }
        cache.startJournal()
    }

    private static func identity(_ owner: Owner, _ name: String, _ prefixes: [Topic]?) -> StoreFacts {
        var facts = StoreFacts()
        facts[Fact.owner] = Array(owner.rawValue.utf8)
        facts.ownName = name
        facts.prefixes = prefixes
        return facts
    }

    /// What was found; the memory of the batches is given up with it.
    func takeStart() -> Start {
        start.withLock { start in
            defer {
                start.batches = []
                start.positions = []
            }
            return start
        }
    }

    /// Begins a durable commit; its end comes by ``mail``.
    func commit(_ changes: StoreChanges, token: UInt64) {
        let mail = mail
        behind.commit(changes) { mail.add($0, token: token) }
    }

    /// Writes what was noted and closes the file.
    func close(logger: Logger) {
        mail.wake(nil)
        do {
            try behind.close(within: StoreLink.closeLimit)
        } catch {
            logger.error("store: not everything is on disk: \(error)")
        }
    }

    private static let closeLimit = Duration.seconds(60)
}

// MARK: Reading

extension StoreLink {
    /// Names of facts; those that begin with `store.` are the store's own.
    enum Fact {
        static let owner = "modelcast.owner"
        static let pushed = "modelcast.pushed."
        /// `1` from the making of the file until a publisher has run with it.
        static let new = "modelcast.new"
    }

    /// A start that failed before it ran, perhaps because it could recover nothing, leaves an empty file: the next one
    /// must not take that for all that there was.
    private static func isNew(_ report: OpenReport, isWhole: Bool, _ facts: StoreFacts) -> Bool {
        report.outcome == .created || !isWhole || facts[Fact.new] == [1]
    }

    /// - Returns: false when damage came to light: the file was set aside then, and there is a new, empty one.
    private static func read(
        _ store: Store, owner: Owner, name: String, prefixes: [Topic]?, cache: ModelCache, start: inout Start,
        logger: Logger
    ) throws(StoreError) -> Bool {
        var isWhole = true
        do {
            try read(store, owner: owner, name: name, prefixes, cache, &start, logger: logger)
        } catch  where error.code == .corrupt {
            let report = try store.replace()
            logger.warning("store: damaged, and begun anew: \(report)", metadata: [owner.rawValue: "\(name)"])
            // What was read is true, but not all; no position speaks of it.
            (start.positions, start.batches) = ([], [])
            isWhole = false
        }
        var changes = StoreChanges()
        changes.facts = identity(owner, name, prefixes)
        if owner == .publisher, isNew(store.openReport, isWhole: isWhole, start.facts) { changes.facts[Fact.new] = [1] }
        try store.write(changes, durably: false)
        return isWhole
    }

    private static func read(
        _ store: Store, owner: Owner, name: String, _ prefixes: [Topic]?, _ cache: ModelCache,
        _ start: inout Start, logger: Logger
    ) throws(StoreError) {
        start.facts = try store.facts()
        try check(start.facts, owner: owner, name: name, path: store.path)
        let isUsable = prefixes.map { start.facts.prefixes == nil || start.facts.covers($0) } ?? true
        guard isUsable else {
            logger.warning(
                "store: it holds less than is replicated now; it is emptied, and everything fetched anew",
                metadata: [owner.rawValue: "\(name)", "path": "\(store.path)"])
            start.facts.aliveMilliseconds = nil
            return try empty(store)
        }
        try readRecords(store, prefixes, cache, &start, logger: logger)
        try readState(store, name: name, prefixes, &start)
    }

    /// A store of something else is left as it is.
    private static func check(
        _ facts: StoreFacts, owner: Owner, name: String, path: String
    ) throws(StoreError) {
        if let known = facts[Fact.owner], known != Array(owner.rawValue.utf8) {
            let kind = String(decoding: known, as: UTF8.self)
            throw StoreError(
                .foreignFile, path: path, "it is the store of a \(kind), and this is a \(owner.rawValue)")
        }
        // The models of a publisher bear its name; a copy is a copy whatever its keeper is called.
        guard owner == .publisher, let known = facts.ownName, known != name else { return }
        throw StoreError(.foreignFile, path: path, "it is the store of the publisher \(known), not of \(name)")
    }

    private static func readRecords(
        _ store: Store, _ prefixes: [Topic]?, _ cache: ModelCache, _ start: inout Start, logger: Logger
    ) throws(StoreError) {
        let found = Guarded((lastStamp: Stamp(0), unwanted: StoreChanges()))
        // Also where damage ends the reading: what was read stays.
        defer { start.lastStamp = found.withLock { $0.lastStamp } }
        let report = try store.forEachChunk { type, records in
            guard isWanted(type, prefixes) else {
                return found.withLock { for record in records { $0.unwanted.remove(record, type: type) } }
            }
            cache.commit { commit in commit.join(records, type: type) }
            let last = records.reduce(0) { max($0, $1.lastStamp) }
            found.withLock { $0.lastStamp = max($0.lastStamp, last) }
        }
        let unwanted = found.withLock { $0.unwanted }
        if !unwanted.isEmpty { try store.write(unwanted, durably: false) }
        guard report.droppedCount > 0 else { return }
        let example = report.dropped.first.map { "; \($0.type ?? "?") \($0.id): \($0.reason)" } ?? ""
        logger.warning("store: \(report.droppedCount) rows were no records and are dropped\(example)")
    }

    private static func isWanted(_ type: String, _ prefixes: [Topic]?) -> Bool {
        let topic = Topic.data(type: type)
        return prefixes?.contains { topic.overlaps($0.bytes) } ?? true
    }

    private static func readState(
        _ store: Store, name: String, _ prefixes: [Topic]?, _ start: inout Start
    ) throws(StoreError) {
        for head in try store.heads() where prefixes?.contains(where: { head.topic.overlaps($0.bytes) }) ?? true {
            start.positions.append(
                StreamPosition(
                    origin: head.origin, topic: head.topic, incarnation: head.incarnation, applied: head.sequence,
                    isPushed: start.facts[Fact.pushed + head.origin] != nil))
        }
        start.own = try store.origins().first { $0.name == name }
        var batches: [StoredBatch] = []
        try store.forEachBatch { batch in
            batches.append(batch)
            return true
        }
        start.batches = batches
    }

    /// Takes everything out.
    private static func empty(_ store: Store) throws(StoreError) {
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
