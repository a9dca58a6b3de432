import Logging
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire

/// The store of a service. It is read when the service is made, and written behind while it runs.
final class StoreLink: Sendable {
    /// The kind of service that a store belongs to. A service does not use the file of another kind.
    enum Owner: String {
        case publisher, relay, subscriber
    }

    /// The content of the store at the start, except for the records, which are in the cache.
    struct Start: Sendable {
        var facts = StoreFacts()
        var positions: [StreamPosition] = []
        /// Batches in the order in which they were stored; their records may be in the cache or not.
        var batches: [StoredBatch] = []
        /// The greatest stamp in any record.
        var lastStamp: Stamp = 0
        /// The state of the publisher itself.
        var own: StoredOrigin?
    }

    let behind: WriteBehind
    let mail: StoreMail
    let path: String
    /// The facts that tell which service the store belongs to.
    let identity: StoreFacts
    /// The file was created or set aside, and no start since then has come to run.
    let isNew: Bool
    /// The file may lack writes that others hold, as an earlier run ended without closing it, or it was damaged. Only
    /// for a publisher.
    let mayLack: Bool
    private let start: Guarded<Start>

    /// Opens the file, reads it into an empty cache, and begins to note the changes of the cache.
    /// - Parameter prefixes: the topics that the service replicates; other records are removed from the file. Nil for a
    ///   publisher.
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
            var reading = StoreReading(
                store: store, owner: owner, name: name, prefixes: prefixes?.map { Topic(bytes: $0) }, cache: cache,
                logger: logger)
            reading.logOpening()
            try reading.run()
            isNew = reading.isNew
            mayLack = owner == .publisher && reading.mayLack(after: report)
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

    /// The content at the start. The batches and positions are handed out once, so that their memory is freed.
    func takeStart() -> Start {
        start.withLock { start in
            defer {
                start.batches = []
                start.positions = []
            }
            return start
        }
    }

    /// Begins a durable commit. Its end comes by ``mail``.
    func commit(_ changes: StoreChanges, token: UInt64) {
        let mail = mail
        behind.commit(changes) { mail.add($0, token: token) }
    }

    /// Begins to write everything that was noted. Its end comes by ``mail``.
    func flush(token: UInt64) {
        let mail = mail
        behind.flush { mail.add($0, token: token) }
    }

    /// Writes everything that was noted and closes the file. Waits up to a minute; a failure is logged.
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
    /// Names of facts. Names that begin with `store.` belong to the store itself.
    enum Fact {
        static let owner = "modelcast.owner"
        /// Before the name of an origin that was pushed.
        static let pushed = "modelcast.pushed."
        /// Before the name of an origin that has sent transactions over several topics.
        static let transactions = "modelcast.transactions."
        /// `1` from the making of the file until a publisher has run with it.
        static let new = "modelcast.new"
        /// The void starts of a publisher: others refused their stamps, and the content of their batches was written
        /// again.
        static let void = "modelcast.void"
        /// Whether a publisher's file may lack writes that others hold: see ``Lack``.
        static let lack = "modelcast.lack"
        /// The first start of a publisher with its file: 8 bytes, the greatest first.
        static let heldSince = "modelcast.held-since"

        /// The beginnings of the facts on one origin. Each is there, as `1`, or is not.
        static let ofOrigins = [pushed, transactions]

        /// The facts that a position tells of its origin.
        static func facts(of position: StreamPosition) -> [String] {
            [position.isPushed ? pushed : nil, position.hasTransactions ? transactions : nil]
                .compactMap { beginning in beginning.map { $0 + position.origin } }
        }
    }

    /// The fact ``Fact/lack`` of a publisher's file.
    enum Lack: UInt8 {
        /// Every batch was on disk before it left, so nothing lacks even where the process is killed.
        case never = 0
        /// Batches leave before they are on disk. The file may lack some where the process is killed.
        case whenKilled = 1
        /// A run was killed, and its writes have not been taken back from all who may hold them.
        case now = 2
    }

    /// Encodes the last few void starts. That is enough, as the first flushes of a later start remove the batches of
    /// earlier ones.
    static func encode(voidIncarnations: [UInt64]) -> [UInt8] {
        Array(voidIncarnations.suffix(8).map(String.init).joined(separator: " ").utf8)
    }

    static func voidIncarnations(in facts: StoreFacts?) -> Set<UInt64> {
        guard let bytes = facts?[Fact.void] else { return [] }
        return Set(String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) })
    }
}
