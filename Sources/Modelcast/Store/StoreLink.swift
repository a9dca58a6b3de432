import Logging
@_spi(CacheWriting) import ModelCache
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
    /// The process that had the file before has closed it.
    let wasClosed: Bool
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
            let store = try Store.openUnconfirmed(path: path)
            let report = store.openReport
            logger.log(
                level: report.isOrdinary ? .info : .warning, "store: \(report)",
                metadata: [owner.rawValue: "\(name)"])
            var reading = StoreReading(
                store: store, owner: owner, name: name, prefixes: prefixes?.map { Topic(bytes: $0) }, cache: cache,
                logger: logger)
            try reading.run()
            isNew = reading.isNew
            wasClosed = report.wasClosed
            start = Guarded(reading.start)
            behind = WriteBehind(store, configuration: settings) { mail.add($0) }
        } catch {
            throw ModelcastError(error)
        }
        cache.startJournal()
    }

    static func identity(_ owner: Owner, _ name: String, _ prefixes: [Topic]?) -> StoreFacts {
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

    /// Begins to write all that was noted; its end comes by ``mail``.
    func flush(token: UInt64) {
        let mail = mail
        behind.flush { mail.add($0, token: token) }
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

extension StoreLink {
    /// Names of facts; those that begin with `store.` are the store's own.
    enum Fact {
        static let owner = "modelcast.owner"
        static let pushed = "modelcast.pushed."
        /// `1` from the making of the file until a publisher has run with it.
        static let new = "modelcast.new"
        /// The starts of a publisher whose stamps nobody took: what their batches held was written anew.
        static let void = "modelcast.void"
    }

    /// The last few are kept: whatever a later start finds of earlier ones goes with its first flushes.
    static func encode(voidIncarnations: [UInt64]) -> [UInt8] {
        Array(voidIncarnations.suffix(8).map(String.init).joined(separator: " ").utf8)
    }

    static func voidIncarnations(in facts: StoreFacts?) -> Set<UInt64> {
        guard let bytes = facts?[Fact.void] else { return [] }
        return Set(String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) })
    }
}
