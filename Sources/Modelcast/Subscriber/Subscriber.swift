public import Dispatch
public import Logging
public import ModelCache
import ModelRecord
import ModelSync
import ModelWire
public import ServiceLifecycle
import ZeroMQ

/// Keeps a copy of the models of any number of publishers, equal to theirs, in this process.
///
/// ```swift
/// let subscriber = try Subscriber(
///     SubscriberConfiguration(name: "billing", publishers: ["tcp://127.0.0.1:7401"]), logger: logger)
/// let observation = subscriber.observe(.type("User"), on: queue) { changes in
///     for change in changes { print(change.id, change.changedFields) }
/// }
/// try await ServiceGroup(services: [subscriber], logger: logger).run()
/// ```
/// - Reads come from any thread, and never wait for the network or for a batch that is being merged.
/// - Batches that are lost on the way are noticed and repaired by themselves. ``status`` tells the state of each
///   publisher and topic.
/// - A publisher that cannot be reached is tried again for ever, with a pause that grows to two seconds.
public final class Subscriber: Service, Sendable {
    /// The configuration that the subscriber was made with.
    public let configuration: SubscriberConfiguration
    /// The copy. Read it from any thread; only the subscriber writes it.
    public let cache: ModelCache
    let logger: Logger
    let core: Guarded<SubscriberCore>
    let bound = BoundEndpoints()
    package let pulse: LoopPulse
    /// The tasks that wait for the next status.
    let statusWaiters = Waiters<Void>()
    /// The tasks that wait until this has applied what others have written.
    let applied = AppliedWaiters()
    /// The tasks that wait for models to be brought back.
    let fetching = AppliedWaiters()
    let fetchTally = FetchTally()
    /// Nil where the subscriber has no store.
    let store: StoreLink?

    /// A subscriber that does not listen yet; see ``run()``.
    ///
    /// With a store this reads it into ``cache``: about two seconds for a million models.
    /// - Throws: ``ModelcastError`` for a bad endpoint or type name, and with code `store` for a file that cannot be
    ///   opened.
    public init(_ configuration: SubscriberConfiguration, logger: Logger) throws(ModelcastError) {
        guard !configuration.publishers.isEmpty else {
            throw ModelcastError(.configuration, "a subscriber needs the control endpoint of at least one publisher")
        }
        try configuration.transport.requireServable([configuration.control])
        try configuration.transport.requireConnectable(configuration.publishers, configuration.security)
        try configuration.requireProtection()
        try configuration.selection.check()
        self.configuration = configuration
        self.logger = logger
        pulse = LoopPulse(clock: configuration.transport.clock)
        if let problem = configuration.modelLimits.problem {
            throw ModelcastError(.configuration, "a limit of the copy is wrong: \(problem)")
        }
        if configuration.store != nil, configuration.prefetch != .all {
            throw ModelcastError(
                .configuration,
                "a store keeps models that come by themselves, and with `prefetch` \(configuration.prefetch) none do: "
                    + "leave one of them out")
        }
        if configuration.store != nil, configuration.modelLimits.all != nil {
            throw ModelcastError(
                .configuration,
                "a store keeps types that have no limits, and here all have: name the types, or leave the store out")
        }
        let cache = ModelCache.ofService(limits: configuration.modelLimits, prefetch: configuration.prefetch)
        self.cache = cache
        store = try configuration.store.map { path throws(ModelcastError) in
            try StoreLink(
                path: path, owner: .subscriber, name: configuration.name, prefixes: configuration.selection.prefixes,
                cache: cache, settings: configuration.storeWriting, logger: logger)
        }
        core = Guarded(SubscriberCore(status: SubscriberStatus(senders: [], streams: [], counters: Counters())))
    }

    deinit { cache.endStreams() }

    /// Listens until the service group shuts down or the task is cancelled.
    /// - Throws: ``ModelcastError`` for a subscriber that has run already.
    public func run() async throws { try await runOnce() }

    /// The model `id` of `type` as this subscriber has it, or nil when it does not exist. Costs a look-up.
    public subscript(type: String, id: String) -> CellRecord? { cache[type, id] }

    /// One cut across all types that does not change any more. O(1).
    public func snapshot() -> Snapshot { cache.snapshot() }

    /// Calls `handler`, on `queue`, with the current value first and then with every change.
    ///
    /// Observers of single models that share a queue object take turns on it, also where it is a concurrent one. Give
    /// observers that belong together the same queue, and one that takes long a queue of its own.
    /// - Parameters:
    ///   - interest: what is observed.
    ///   - evictions: the observer is told, too, which models leave the copy for its limits, with the reason `evicted`
    ///     (<doc:BoundedCopies>). No model that is observed by its id does.
    ///   - queue: where `handler` is called.
    ///   - handler: called with the changes of each commit, or with folded ones.
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observe(
        _ interest: Interest, evictions: Bool = false, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        cache.observe(interest, evictions: evictions, on: queue, handler)
    }

    /// The same without a queue: the subscriber's own thread calls `handler` once it has merged a batch.
    ///
    /// The call without a queue saves the change to another thread, which takes some microseconds, but **everything
    /// waits for the handler**: the next batch is merged when it returns. For handlers that take a microsecond or two,
    /// such as one that sets a flag or wakes a thread. The handler may read, observe and cancel; it must not block.
    /// Calls never overlap. The current value is told before this returns, on the calling thread.
    ///
    /// After `cancel()` within the handler no call begins. After `cancel()` on another thread, a call that was about to
    /// begin may still run.
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observe(
        _ interest: Interest, evictions: Bool = false, inline handler: @escaping @Sendable (ChangeSet) -> Void
    ) -> CacheObservation {
        cache.observe(interest, evictions: evictions, inline: handler)
    }

    /// The current value first and then every change, as a sequence for one task. The sequence ends when this
    /// subscriber has stopped, and when the service group of the awaiting task shuts down.
    public func changes(_ interest: Interest, evictions: Bool = false) -> ChangeStream {
        cache.changes(interest, evictions: evictions)
    }

    /// The endpoint where ``SubscriberConfiguration/control`` was bound, with the port that the system chose. Waits for
    /// ``run()``.
    /// - Throws: ``ModelcastError`` when binding failed, or no control endpoint is configured.
    public var boundControl: String { get async throws { try await bound.value.control } }

    /// The state of each publisher and topic, at most a quarter of a second old where there are few topics.
    public var status: SubscriberStatus {
        var status = core.withLock { $0.status }
        status.fetches = fetchTally.counts
        return status
    }

    /// Waits until every publisher is live: all batches that it has sent are applied.
    /// - Throws: ``ModelcastError`` with code `stopped` when the subscriber stops first; `CancellationError` when the
    ///   task is cancelled.
    public func waitUntilLive() async throws {
        while true {
            try Task.checkCancellation()
            try await nextStatus()
            if status.isLive { return }
        }
    }

    /// Waits for the next status. Returns at once when the present one is live.
    private func nextStatus() async throws {
        try await statusWaiters.wait { enter in
            core.withLock { core -> Result<Void, any Error>? in
                if core.isStopped {
                    return .failure(ModelcastError(.stopped, "the subscriber stopped before it was live"))
                }
                if core.status.isLive { return .success(()) }
                enter()
                return nil
            }
        }
    }

    /// Takes a status from the socket thread, and resumes the waiting tasks.
    func publish(_ status: SubscriberStatus) {
        let waiters = core.withLock { core in
            core.status = status
            return statusWaiters.takeAll()
        }
        for waiter in waiters { waiter.resume() }
        applied.lookAgain()
    }

    /// Fails the waiting tasks and ends the streams: the socket thread has ended, and no further status will come.
    func finish() {
        let waiters = core.withLock { core in
            core.isStopped = true
            core.waker = nil
            return statusWaiters.takeAll()
        }
        cache.endStreams()
        let error = ModelcastError(.stopped, "the subscriber stopped before it was live")
        for waiter in waiters { waiter.resume(throwing: error) }
        applied.lookAgain()
        fetching.lookAgain()
    }
}
