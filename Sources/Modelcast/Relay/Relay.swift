public import Logging
public import ModelCache
import ModelRecord
import ModelSync
public import ServiceLifecycle
import ZeroMQ

/// Merges the batches of any number of publishers and relays, and serves them to any number of subscribers.
///
/// ```swift
/// let relay = try Relay(
///     RelayConfiguration(name: "relay-a", endpoints: endpoints, publishers: ["tcp://10.0.0.5:7400"]), logger: logger)
/// try await ServiceGroup(services: [relay], logger: logger).run()
/// ```
/// - Batches are sent on unchanged and at once. A subscriber that has missed some gets a replay or a snapshot.
/// - Two relays side by side give availability: a subscriber that connects to both drops duplicates, and misses nothing
///   when one of them is killed.
/// - Relays may stand in a chain or a ring; a batch passes each of them once.
/// - Short-lived jobs push their batches to relays (``PublisherConfiguration/relays``), and end when these have
///   acknowledged them.
public final class Relay: Service, Sendable {
    /// The configuration that the relay was made with.
    public let configuration: RelayConfiguration
    /// The relay's copy. Read it from any thread; only the relay writes it.
    public let cache: ModelCache
    let logger: Logger
    let core = Guarded(RelayCore())
    let bound = BoundEndpoints()
    package let pulse: LoopPulse
    /// The tasks that wait until this has applied what others have written.
    let applied = AppliedWaiters()
    /// Nil where the relay has no store.
    let store: StoreLink?

    /// A relay that does not serve yet; see ``run()``. With a store this reads it into ``cache``.
    /// - Throws: ``ModelcastError``: for a bad name or endpoint, for endpoints that other machines can reach though
    ///   that is not allowed, and with code `store` for a file that cannot be opened.
    public init(_ configuration: RelayConfiguration, logger: Logger) throws(ModelcastError) {
        do { try Names.check(origin: configuration.name) } catch { throw ModelcastError(error) }
        try configuration.transport.requireServable([configuration.endpoints.control, configuration.endpoints.stream])
        try configuration.transport.requireConnectable(configuration.publishers, configuration.security)
        try configuration.requireProtection()
        try configuration.selection.check()
        self.configuration = configuration
        self.logger = logger
        pulse = LoopPulse(clock: configuration.transport.clock)
        let cache = ModelCache.ofService()
        self.cache = cache
        store = try configuration.store.map { path throws(ModelcastError) in
            try StoreLink(
                path: path, owner: .relay, name: configuration.name, prefixes: configuration.selection.prefixes,
                cache: cache, settings: configuration.storeWriting, logger: logger)
        }
    }

    deinit { cache.endStreams() }

    /// Serves until the service group shuts down or the task is cancelled. Then it sends `bye` and closes.
    /// - Throws: ``ModelcastError`` when an endpoint cannot be bound, and for a relay that has run already.
    public func run() async throws { try await runOnce() }

    /// The endpoints that were bound, with the ports that the system chose; waits for ``run()`` to bind them.
    /// - Throws: ``ModelcastError`` when binding failed.
    public var boundEndpoints: SenderEndpoints { get async throws { try await bound.value } }

    /// The state of each publisher, topic and peer, at most a quarter of a second old where there are few topics.
    public var status: RelayStatus { core.withLock { $0.status } }
}
