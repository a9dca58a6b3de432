public import Logging
public import ModelCache
import ModelRecord
import ModelSync
import ModelWire
public import ServiceLifecycle
import Synchronization
import ZeroMQ

/// Publishes models: keeps its own copy of everything, and sends to every subscriber the fields that changed.
///
/// ```swift
/// let publisher = try Publisher(PublisherConfiguration(name: "accounts", endpoints: endpoints), logger: logger)
/// let group = ServiceGroup(services: [publisher], logger: logger)
/// try publisher.merge("User", "42", ["age": 30])
/// try await group.run()
/// ```
/// - Writes come from any thread, also before ``run()``; each is stamped, merged into ``cache`` and queued. None
///   blocks.
/// - A write that changes nothing is not sent.
/// - Idle, a write leaves at once; under load writes leave in batches, after a time that follows their rate, of
///   ``PublisherConfiguration/batchDelay`` at most.
/// - With ``PublisherConfiguration/store`` a restart goes on with the same models; ``Durability`` says what is promised
///   of the last writes. Without one all is gone with the process, but for what subscribers and relays have.
public final class Publisher: Service, Sendable {
    public let configuration: PublisherConfiguration
    /// Everything that this publisher has published. Read it from any thread.
    public let cache: ModelCache
    let logger: Logger
    let core: Guarded<PublisherCore>
    /// Empty memory of batches of writes, a few.
    let spareBatches = Guarded<[WriteBatch]>([])
    let bound = BoundEndpoints()
    /// Who waits for everything to be acknowledged.
    let acknowledged = Waiters<Void>()
    /// Who waits for room in the outbox, and whether anybody may.
    let roomWaiters = Waiters<Void>()
    let isRoomAwaited = Atomic<Bool>(false)
    /// Nil where there is none.
    let store: StoreLink?

    /// Nothing of an earlier start is here: there is no store, or its file was new, or was set aside as damaged, also
    /// if that was found at an earlier start that has not come to ``run()``. ``recover(from:timeout:)`` takes back
    /// what relays have.
    public var startsAnew: Bool { store?.isNew ?? true }

    /// The run before was ended without closing its store, and that promises nothing of the last second before
    /// (``Durability/none``): subscribers and relays may hold what this publisher has written and does not know any
    /// more. ``recover(from:timeout:)`` takes that back, so that what is written now is compared with it.
    public var mayLackWrites: Bool { configuration.durability == .none && store.map { !$0.wasClosed } ?? false }

    /// A publisher that does not serve yet; see ``run()``. With a store this reads it into ``cache``.
    /// - Throws: ``ModelcastError``: a bad name, or endpoints that other machines can reach without being allowed to;
    ///   with code `store` for a file that cannot be opened.
    public init(_ configuration: PublisherConfiguration, logger: Logger) throws(ModelcastError) {
        guard configuration.endpoints != nil || !configuration.relays.isEmpty else {
            throw ModelcastError(.configuration, "a publisher needs endpoints to serve at, or relays to push to")
        }
        for relay in configuration.relays { try SenderEndpoints.requireConnectable(relay) }
        try configuration.requireProtection()
        guard configuration.store != nil || configuration.durability == .none else {
            throw ModelcastError(.configuration, "durability needs a store: the path of a file")
        }
        do { try Names.check(origin: configuration.name) } catch { throw ModelcastError(error) }
        self.configuration = configuration
        self.logger = logger
        let cache = ModelCache.ofService()
        self.cache = cache
        let store = try configuration.store.map { path throws(ModelcastError) in
            try StoreLink(
                path: path, owner: .publisher, name: configuration.name, prefixes: nil, cache: cache,
                settings: configuration.storeWriting, logger: logger)
        }
        self.store = store
        let origin = OriginConfiguration(
            name: configuration.name, streamEndpoint: configuration.endpoints?.stream ?? "",
            limits: configuration.limits,
            heartbeatInterval: configuration.heartbeatInterval, batchByteCount: configuration.batchByteCount,
            partitions: configuration.partitions, partitionsByType: configuration.partitionsByType,
            replayByteCount: configuration.replayByteCount, replayAge: configuration.replayAge,
            budget: RequestBudget(
                underWayByteCount: configuration.answersByteCount, frameByteCount: configuration.limits.frameByteCount),
            clockLeadMax: configuration.clockLeadMax, tombstoneRetention: configuration.tombstoneRetention)
        var core = try PublisherCore(origin, batchDelay: configuration.batchDelay, cache: cache, store: store)
        if !configuration.relays.isEmpty { core.push = PushProgress() }
        self.core = Guarded(core)
    }

    /// Serves until the service group shuts down or the task is cancelled; then sends what is open, says bye and
    /// closes.
    /// - Throws: ``ModelcastError`` when an endpoint cannot be bound, and for a publisher that has run already.
    public func run() async throws {
        try core.withLock { core throws(ModelcastError) in try ModelcastError.require(&core.hasRun, "publisher") }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await SocketThread.run(named: "modelcast-pub") {
                defer {
                    // Also where it fails: whoever waits, or comes to wait, is told so.
                    self.core.withLock { $0.isStopped = true }
                    self.endPushing()
                    self.refuseWriters()
                    self.store?.close(logger: self.logger)
                    self.cache.endStreams()
                }
                try PublisherLoop(publisher: self).run()
            }
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
    }

    /// The endpoints that were bound, with the ports that the system chose; waits for ``run()`` to bind them.
    /// - Throws: ``ModelcastError`` when binding failed, or there is nothing to bind.
    public var boundEndpoints: SenderEndpoints { get async throws { try await bound.value } }

    /// Ends ``run()``.
    func stop() {
        let waker = core.withLock { core in
            core.isStopped = true
            return core.waker
        }
        waker?.wake()
    }
}
