import Logging
import ModelSync

extension Subscriber: ThreadService {
    static let kind = "subscriber"
    static let threadName = "modelcast-sub"

    /// Listens on the calling thread until the subscriber is stopped.
    func runOnThisThread() throws {
        defer { finish() }
        defer { store?.close(logger: logger) }
        let thread = try configuration.transport.implementation.openThread()
        let links = SenderLinks(
            thread,
            configuration: SenderLinks.Configuration(
                transport: configuration.transport, frameByteCount: configuration.limits.frameByteCount,
                queueByteCount: configuration.queueByteCount,
                reconnectDelay: configuration.reconnectDelay, reconnectDelayMax: configuration.reconnectDelayMax,
                security: configuration.security))
        let start = store?.takeStart()
        let machine = try makeMachine(on: thread, lastAlive: start?.facts.aliveMilliseconds)
        let replica = machine.replica
        let keeper = keeper(of: replica, start)
        for endpoint in configuration.publishers { links.add(replica.addSender(), endpoint: endpoint) }
        let waker = thread.waker
        core.withLock { $0.waker = waker }
        store?.mail.wake(waker)
        logger.info("subscriber is listening", metadata: ["subscriber": "\(configuration.name)"])
        var metrics = CounterMetrics(
            label: "modelcast_subscriber", name: configuration.name, problems: problems)
        let host = ReplicaLoop.Host(
            logger: logger, isStopped: { self.core.withLock { $0.isStopped } },
            tell: { now in
                self.publish(
                    SubscriberStatus(
                        senders: replica.senderStatus(now: now), streams: replica.streamStatus(now: now),
                        counters: replica.counters, store: keeper?.status, errors: replica.distinctErrors.all))
                metrics.update(replica.counters, now: now)
            }, isStatusAwaited: { self.applied.isAwaited }, pulse: pulse,
            takeFetches: { self.core.withLock { $0.fetches.take() } },
            fetched: { token, records in
                self.core.withLock { $0.fetches.fetched(token, records) }
                self.fetching.lookAgain()
            })
        try ReplicaLoop(machine: machine, links: links, host: host, keeper: keeper).run()
        logger.info("subscriber has stopped", metadata: ["subscriber": "\(configuration.name)"])
    }

    /// Restores the replica from what the store held.
    private func keeper(of replica: Replica, _ start: StoreLink.Start?) -> ReplicaKeeper? {
        guard let store, let start else { return nil }
        replica.restore(start.positions, now: self.configuration.transport.clock.now())
        return ReplicaKeeper(store, start, replica: replica, logger: logger)
    }

    /// Makes the state machine. A subscriber with a control endpoint is a relay without a ring and without a stream.
    private func makeMachine(
        on thread: any TransportThread, lastAlive: UInt64?
    ) throws -> ReplicaLoop.Machine {
        var generator = SystemRandomNumberGenerator()
        let replicaConfiguration = ReplicaConfiguration(
            name: configuration.name, prefixes: configuration.selection.prefixes, limits: configuration.limits,
            clockLeadMax: configuration.clockLeadMax, holeGrace: configuration.holeGrace,
            tombstoneRetention: configuration.tombstoneRetention)
        guard let control = configuration.control else {
            bound.settle(
                .failure(ModelcastError(.configuration, "this subscriber has no control endpoint; set one to ask it")))
            return .replica(
                Replica(
                    configuration: replicaConfiguration, cache: cache, now: self.configuration.transport.clock.now(),
                    seed: generator.next(), lastAlive: lastAlive))
        }
        let sockets = try open(control, on: thread)
        var configuration = RelayMachineConfiguration(
            name: configuration.name, streamEndpoint: "", limits: configuration.limits, replayByteCount: 0,
            settleTime: .zero)
        configuration.replica = replicaConfiguration
        configuration.role = .subscriber
        configuration.budget = RequestBudget(
            underWayByteCount: Subscriber.answersByteCount, frameByteCount: configuration.limits.frameByteCount)
        let machine = try RelayMachine(
            configuration: configuration, cache: cache, now: self.configuration.transport.clock.now(),
            seed: generator.next(),
            lastAlive: lastAlive)
        bound.settle(.success(sockets.bound))
        return .relay(machine, sockets)
    }

    /// How many bytes the answers may take until they have been sent.
    private static let answersByteCount = 64 << 20

    private func open(
        _ control: String, on thread: any TransportThread
    ) throws(ModelcastError) -> any ServingEnd {
        try bound.binding { () throws(ModelcastError) in
            try thread.serve(
                ServingSettings(
                    control: control, stream: nil, frameByteCount: configuration.limits.frameByteCount,
                    batchByteCount: configuration.limits.frameByteCount, subscriberQueueByteCount: 64 << 20,
                    answersByteCount: Subscriber.answersByteCount,
                    security: configuration.security, logger: logger))
        }
    }
}
