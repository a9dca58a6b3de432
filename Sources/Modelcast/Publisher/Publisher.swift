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
/// - Writes come from any thread, also before ``run()``. Each is stamped, merged into ``cache`` and queued. None
///   blocks.
/// - A write that changes nothing is not sent.
/// - While there is little to do a write leaves at once. Under load writes leave in batches, after a time that follows
///   their rate, at most ``PublisherConfiguration/batchDelay``.
/// - With ``PublisherConfiguration/store`` the next start goes on with the same models; ``Durability`` says what is
///   promised of the last writes. Without a store the models are gone with the process, except for what subscribers and
///   relays hold.
public final class Publisher: Service, Sendable {
    /// The configuration that the publisher was made with.
    public let configuration: PublisherConfiguration
    /// All models that this publisher has published. Read it from any thread.
    public let cache: ModelCache
    let logger: Logger
    let clock: ServiceClock
    let core: Guarded<PublisherCore>
    /// Emptied batches whose memory is used again; a few.
    let spareBatches = Guarded<[WriteBatch]>([])
    let bound = BoundEndpoints()
    package let pulse: LoopPulse
    /// The tasks that wait for everything to be acknowledged.
    let acknowledged = Waiters<Void>()
    /// The tasks that wait for room in the outbox, and whether there may be any.
    let roomWaiters = Waiters<Void>()
    let isRoomAwaited = Atomic<Bool>(false)
    /// The tasks that wait until subscribers have applied what was written.
    let applied = AppliedWaiters()
    /// Nil where the publisher has no store.
    let store: StoreLink?

    /// True where models of an earlier start may be missing: there is no store, or its file was new or damaged. This
    /// stays true for later starts until one has come to ``run()``. ``recover(from:timeout:)`` takes back the models
    /// that relays hold.
    public var startsAnew: Bool { store?.isNew ?? true }

    /// True where subscribers and relays may hold writes of this publisher that its store does not have: a run ended
    /// without closing the store, and its ``Durability`` was not ``Durability/beforeSend``; or the file was damaged.
    /// ``recover(from:timeout:)`` takes them back, so that later writes are compared with them. This stays true, also
    /// for later starts, until all relays that it pushes to were named and have answered; of a publisher that pushes to
    /// none, all that were named.
    public var mayLackWrites: Bool { lacksWrites.load(ordering: .relaxed) }
    let lacksWrites: Atomic<Bool>

    /// A publisher that does not serve yet; see ``run()``. With a store this reads it into ``cache``.
    /// - Throws: ``ModelcastError``: for a bad name, for endpoints that other machines can reach though that is not
    ///   allowed, and with code `store` for a file that cannot be opened.
    public init(_ configuration: PublisherConfiguration, logger: Logger) throws(ModelcastError) {
        guard configuration.endpoints != nil || !configuration.relays.isEmpty else {
            throw ModelcastError(.configuration, "a publisher needs endpoints to serve at, or relays to push to")
        }
        try configuration.transport.requireServable([configuration.endpoints?.control, configuration.endpoints?.stream])
        try configuration.transport.requireConnectable(configuration.relays, configuration.security)
        try configuration.requireProtection()
        guard configuration.store != nil || configuration.durability == .none else {
            throw ModelcastError(.configuration, "durability needs a store: the path of a file")
        }
        do { try Names.check(origin: configuration.name) } catch { throw ModelcastError(error) }
        self.configuration = configuration
        self.logger = logger
        pulse = LoopPulse(clock: configuration.transport.clock)
        clock = configuration.transport.clock
        let cache = ModelCache.ofService()
        self.cache = cache
        let store = try configuration.store.map { path throws(ModelcastError) in
            try StoreLink(
                path: path, owner: .publisher, name: configuration.name, prefixes: nil, cache: cache,
                settings: configuration.storeWriting, logger: logger)
        }
        self.store = store
        lacksWrites = Atomic(store?.mayLack ?? false)
        var origin = OriginConfiguration(
            name: configuration.name, streamEndpoint: configuration.endpoints?.stream ?? "",
            limits: configuration.limits,
            heartbeatInterval: configuration.heartbeatInterval, batchByteCount: configuration.batchByteCount,
            partitions: configuration.partitions, partitionsByType: configuration.partitionsByType,
            replayByteCount: configuration.replayByteCount, replayAge: configuration.replayAge,
            budget: RequestBudget(
                underWayByteCount: configuration.answersByteCount, frameByteCount: configuration.limits.frameByteCount),
            clockLeadMax: configuration.clockLeadMax, tombstoneRetention: configuration.tombstoneRetention)
        origin.signingKey = configuration.security?.signingKey
        var core = try PublisherCore(
            origin, batchDelay: configuration.batchDelay, cache: cache, store: store,
            durability: configuration.durability, now: clock.now())
        if !configuration.relays.isEmpty { core.push = PushProgress() }
        self.core = Guarded(core)
    }

    deinit { cache.endStreams() }

    /// Serves until the service group shuts down or the task is cancelled. Then it sends the open batches and `bye`,
    /// and closes.
    /// - Throws: ``ModelcastError`` when an endpoint cannot be bound, and for a publisher that has run already.
    public func run() async throws { try await runOnce() }

    /// The endpoints that were bound, with the ports that the system chose; waits for ``run()`` to bind them.
    /// - Throws: ``ModelcastError`` when binding failed, or there is nothing to bind.
    public var boundEndpoints: SenderEndpoints { get async throws { try await bound.value } }
}
