import Logging
import ModelSync

extension Relay: ThreadService {
    static let kind = "relay"
    static let threadName = "modelcast-relay"

    /// Binds, serves and listens on the calling thread until the relay is stopped.
    func runOnThisThread() throws {
        defer {
            core.withLock { core in
                core.status.isServing = false
                core.isStopped = true
            }
            applied.lookAgain()
            store?.close(logger: logger)
            cache.endStreams()
        }
        let (links, sockets) = try openSockets()
        let start = store?.takeStart()
        var generator = SystemRandomNumberGenerator()
        let machine = try RelayMachine(
            configuration: configuration.machine(streamEndpoint: sockets.bound.stream), cache: cache,
            now: configuration.transport.clock.now(), seed: generator.next(), lastAlive: start?.facts.aliveMilliseconds)
        let keeper = keeper(of: machine, start)
        for endpoint in configuration.publishers { links.add(machine.addSender(), endpoint: endpoint) }
        let waker = links.thread.waker
        core.withLock { $0.waker = waker }
        store?.mail.wake(waker)
        defer { core.withLock { $0.waker = nil } }
        bound.settle(.success(sockets.bound))
        configuration.security?.tellOwnGrant(as: nil, logger)
        logger.info(
            "relay is serving",
            metadata: [
                "relay": "\(configuration.name)", "control": "\(sockets.bound.control)",
                "stream": "\(sockets.bound.stream)",
            ])
        var listening = CounterMetrics(label: "modelcast_relay_replica", name: configuration.name)
        var serving = CounterMetrics(label: "modelcast_relay", name: configuration.name)
        let host = ReplicaLoop.Host(
            logger: logger, isStopped: { self.core.withLock { $0.isStopped } },
            tell: { now in
                self.tell(machine, keeper, now: now)
                listening.update(machine.replica.counters, now: now)
                serving.update(machine.counters, now: now)
            }, isStatusAwaited: { self.applied.isAwaited }, pulse: pulse)
        try ReplicaLoop(machine: .relay(machine, sockets), links: links, host: host, keeper: keeper).run()
        logger.info("relay has stopped", metadata: ["relay": "\(configuration.name)"])
    }

    private func openSockets() throws(ModelcastError) -> (SenderLinks, any ServingEnd) {
        try bound.binding { () throws(ModelcastError) in
            let thread = try configuration.transport.implementation.openThread()
            let links = SenderLinks(thread, configuration: configuration.links)
            return (links, try thread.serve(configuration.serving(logger)))
        }
    }

    /// Restores the relay from what the store held.
    private func keeper(of machine: RelayMachine, _ start: StoreLink.Start?) -> ReplicaKeeper? {
        guard let store, let start else { return nil }
        let batches = start.batches.map {
            DurableBatch(topic: $0.topic, payload: $0.payload, writtenMilliseconds: $0.writtenMilliseconds)
        }
        machine.restore(start.positions, batches: batches, now: configuration.transport.clock.now())
        return ReplicaKeeper(store, start, replica: machine.replica, logger: logger) { machine.ring.oldest(of: $0) }
    }

    private func tell(_ machine: RelayMachine, _ keeper: ReplicaKeeper?, now: Moment) {
        let replica = machine.replica
        let status = RelayStatus(
            isServing: true, senders: replica.senderStatus(now: now), streams: replica.streamStatus(now: now),
            replicaCounters: replica.counters, counters: machine.counters, store: keeper?.status,
            peers: machine.connectedPeers, errors: machine.distinctErrors)
        core.withLock { $0.status = status }
        applied.lookAgain()
    }
}

extension RelayConfiguration {
    fileprivate var links: SenderLinks.Configuration {
        SenderLinks.Configuration(
            transport: transport, frameByteCount: limits.frameByteCount, queueByteCount: queueByteCount,
            reconnectDelay: reconnectDelay, reconnectDelayMax: reconnectDelayMax, security: security)
    }

    fileprivate func serving(_ logger: Logger) -> ServingSettings {
        ServingSettings(
            control: endpoints.control, stream: endpoints.stream, frameByteCount: limits.frameByteCount,
            batchByteCount: 32 * 1024,
            subscriberQueueByteCount: subscriberQueueByteCount, answersByteCount: answersByteCount,
            security: security, logger: logger)
    }

    fileprivate func machine(streamEndpoint: String) -> RelayMachineConfiguration {
        RelayMachineConfiguration(
            name: name, streamEndpoint: streamEndpoint, prefixes: selection.prefixes, limits: limits,
            clockLeadMax: clockLeadMax, heartbeatInterval: heartbeatInterval, replayByteCount: replayByteCount,
            replayAge: replayAge,
            budget: RequestBudget(underWayByteCount: answersByteCount, frameByteCount: limits.frameByteCount),
            persistsPushes: store != nil, tombstoneRetention: tombstoneRetention)
    }
}
