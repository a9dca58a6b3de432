public import Logging
public import ModelCache
import ModelRecord
import ModelSync
import ModelWire
public import ServiceLifecycle
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
/// - Idle, a write leaves at once; under load writes leave in batches, at the latest after a millisecond.
/// - Unfit for data that no process may lose when this one dies: nothing is stored on disk.
public final class Publisher: Service, Sendable {
    public let configuration: PublisherConfiguration
    /// Everything that this publisher has published. Read it from any thread.
    public let cache: ModelCache
    let logger: Logger
    let core: Guarded<PublisherCore>

    /// A publisher that does not serve yet; see ``run()``.
    /// - Throws: ``ModelcastError``: a bad name, or endpoints that other machines can reach without being allowed to.
    public init(_ configuration: PublisherConfiguration, logger: Logger) throws(ModelcastError) {
        if !configuration.allowsRemote {
            try SenderEndpoints.requireLocal(configuration.endpoints.control)
            try SenderEndpoints.requireLocal(configuration.endpoints.stream)
        }
        self.configuration = configuration
        self.logger = logger
        cache = ModelCache()
        let origin = OriginConfiguration(
            name: configuration.name, streamEndpoint: configuration.endpoints.stream, limits: configuration.limits,
            heartbeatInterval: configuration.heartbeatInterval, batchByteCount: configuration.batchByteCount,
            partitions: configuration.partitions, partitionsByType: configuration.partitionsByType)
        do {
            core = Guarded(PublisherCore(origin: try Origin(configuration: origin, cache: cache, now: Clocks.now())))
        } catch {
            throw ModelcastError(error)
        }
    }

    /// Serves until the service group shuts down or the task is cancelled; then sends what is open, says bye and
    /// closes.
    /// - Throws: ``ModelcastError`` when an endpoint cannot be bound. A publisher runs once.
    public func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await SocketThread.run(named: "modelcast-pub") { try PublisherLoop(publisher: self).run() }
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
    }

    /// The endpoints that were bound, with the ports that the system chose; waits for ``run()`` to bind them.
    /// - Throws: ``ModelcastError`` when binding failed.
    public var boundEndpoints: SenderEndpoints {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let known = core.withLock { core -> Result<SenderEndpoints, ModelcastError>? in
                    if core.bound == nil { core.boundWaiters.append(continuation) }
                    return core.bound
                }
                if let known { continuation.resume(with: known) }
            }
        }
    }

    /// Ends ``run()``.
    func stop() {
        let waker = core.withLock { core in
            core.isStopped = true
            return core.waker
        }
        waker?.wake()
    }

    func settleBound(_ result: Result<SenderEndpoints, ModelcastError>) {
        let waiters = core.withLock { core in
            core.bound = result
            defer { core.boundWaiters = [] }
            return core.boundWaiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
