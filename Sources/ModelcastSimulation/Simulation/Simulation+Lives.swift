import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// Starts, crashes and clocks of processes.
extension Simulation {
    /// Starts a process with what its disk holds.
    func start(_ node: SimulatedNode) {
        let cache = copy(of: node)
        (node.startedAt, node.joined, node.joinedLate) = (time, [], false)
        switch node.kind {
        case .publisher, .job:
            keepClockAhead(node)
            var configuration = OriginConfiguration(
                name: node.name, streamEndpoint: "memory", heartbeatInterval: settings.heartbeatInterval,
                batchByteCount: settings.batchByteCount, chunkByteCount: settings.chunkByteCount,
                partitions: node.partitions, peerTimeout: settings.reportInterval * 4,
                replayByteCount: settings.replayByteCount)
            if settings.hasSignatures { configuration.signingKey = signingKey(node) }
            // The name was checked when the node was added.
            node.origin = try? Origin(
                configuration: configuration, cache: cache, now: moment(node), after: node.disk.clock)
            startPushing(node)
            startRecovery(node)
        case .subscriber:
            let replica = Replica(
                configuration: replicaConfiguration(node), cache: cache, now: moment(node),
                seed: generator.next(), lastAlive: node.disk.lastContact)
            for _ in node.listening { _ = replica.addSender() }
            node.subscriber = replica
            grantSenders(node)
        case .relay:
            let relay = try? RelayMachine(
                configuration: relayConfiguration(node), cache: cache, now: moment(node), seed: generator.next(),
                lastAlive: node.disk.lastContact)
            for _ in node.listening { _ = relay?.addSender() }
            node.relay = relay
            grantSenders(node)
        }
        if let names = settings.names {
            node.replica?.limitNames(told: names.told, kept: names.kept, quiet: names.quiet)
        }
        node.watch.start(cache, label: node.name)
        restore(node)
        // The disk may hold half of a snapshot, so steps may show in part.
        let fault = node.watch.look(
            cache, oracle: oracle, takes: { node.takes($0) }, isWhole: { _ in false }, isLate: isLatePush)
        if let fault { fail(node, fault) }
        tell(node, "starts\(node.disk.records.isEmpty ? "" : " with \(node.disk.records.count) models of its disk")")
        for index in node.listening { connectAnew(index) }
        for index in node.serving { streamBreaks(index) }
        events.add(.tick(node: node.index, life: node.life), at: time + delay())
    }

    /// Restores the positions of the streams, so that the node goes on where its disk ends.
    ///
    /// A relay that is pushed to does so in every life, as other nodes would not know of the pushed streams. The other
    /// nodes do so in every second life, and start with the records alone in between.
    private func restore(_ node: SimulatedNode) {
        guard let replica = node.replica, node.isPushedTo || node.life % 2 == 1 else { return }
        guard let relay = node.relay, node.isPushedTo else {
            return replica.restore(node.disk.positions, now: moment(node))
        }
        let batches = node.disk.pushes.map {
            DurableBatch(topic: $0.stream.topic, payload: $0.payload, writtenMilliseconds: $0.writtenMilliseconds)
        }
        relay.restore(node.disk.positions, batches: batches, now: moment(node))
        noteRestored(node)
    }

    private func relayConfiguration(_ node: SimulatedNode) -> RelayMachineConfiguration {
        var configuration = RelayMachineConfiguration(
            name: node.name, streamEndpoint: "memory", clockLeadMax: settings.clockLeadMax,
            heartbeatInterval: settings.heartbeatInterval, chunkByteCount: settings.chunkByteCount,
            peerTimeout: settings.reportInterval * 4, replayByteCount: settings.replayByteCount,
            budget: settings.budget, settleTime: settings.settleTime,
            persistsPushes: node.disk.mode != .none)
        configuration.replica = replicaConfiguration(node)
        return configuration
    }

    /// Sets the wall clock of a publisher past its last stamp, unless its disk has that stamp. Nothing else keeps a
    /// publisher that has forgotten its stamps from giving one version to two writes.
    private func keepClockAhead(_ node: SimulatedNode) {
        let present = moment(node).wallMilliseconds << 16
        // Of what the publisher wrote in a leap nobody has taken anything.
        if oracle.lastStamp[node.name, default: 0] > present + Simulation.leap / 2 {
            oracle.lose(origin: node.name, above: present + Simulation.leap / 2)
        }
        let lastStamp = oracle.lastStamp[node.name] ?? 0
        guard node.disk.clock < lastStamp else { return }
        let last = Int64(lastStamp >> 16)
        let wall = Int64(moment(node).wallMilliseconds)
        if wall <= last { node.clockOffsetMilliseconds += last + 1 - wall }
    }

    private func replicaConfiguration(_ node: SimulatedNode) -> ReplicaConfiguration {
        ReplicaConfiguration(
            name: node.name, prefixes: node.prefixes, clockLeadMax: settings.clockLeadMax,
            holeGrace: settings.holeGrace, repairJitterMax: settings.repairJitterMax,
            snapshotCredit: settings.snapshotCredit, requestTimeout: settings.requestTimeout,
            reportInterval: settings.reportInterval, tombstoneRetention: settings.tombstoneRetention)
    }

    /// Kills a process that runs: what it had not written to its disk is lost, and all its connections break.
    /// - Parameter losesDisk: the disk is emptied, too.
    public func crash(_ id: NodeID, losesDisk: Bool = false) {
        let node = nodes[id.index]
        guard node.isUp else { return }
        faults[.crash] += 1
        if node.disk.crash() { faults[.tornWrite] += 1 }
        if losesDisk, node.disk.mode != .none {
            faults[.diskLost] += 1
            node.disk.erase()
        }
        endLeap(node)
        node.stoppedUntil = 0
        tell(node, "crashes\(losesDisk ? " and loses its disk" : "")")
        switch node.kind {
        case .publisher: oracle.lose(origin: node.name, after: node.disk.updateCount)
        case .job: oracle.abandon(job: node.name)
        case .relay where losesDisk || node.disk.mode == .none:
            if !oracle.pushes.isEmpty { faults[.relayLost] += 1 }
            oracle.lose(holder: node.index)
        case .relay, .subscriber: break
        }
        leave(node)
        for index in node.listening { closeAll(index) }
        for index in node.serving {
            links[index].streamEpoch += 1
            links[index].controlEpoch += 1
            links[index].active = []
            links[index].isStreamOpen = false
        }
    }

    /// Starts a process that has crashed. A process that runs, and a job that has ended, stay as they are.
    public func restart(_ id: NodeID) {
        let node = nodes[id.index]
        guard !node.isUp, !(node.job?.hasEnded ?? false) else { return }
        start(node)
    }

    /// Stops a process that runs for some time, as SIGSTOP and SIGCONT do, or the sleep of a machine: nothing of it
    /// runs, and what comes for it waits.
    func stop(_ node: SimulatedNode, milliseconds: UInt64) {
        guard node.isUp, node.stoppedUntil <= time else { return }
        faults[.stop] += 1
        node.stoppedUntil = time + milliseconds * 1000 + 1
        tell(node, "is stopped for \(milliseconds) ms")
    }

    func isStopped(_ node: SimulatedNode) -> Bool { time < node.stoppedUntil }

    /// Lets time pass until no process is stopped.
    func awaitContinued() {
        let last = nodes.lazy.map(\.stoppedUntil).max() ?? 0
        if last > time { run(milliseconds: (last - time) / 1000 + 1) }
    }

    /// Ends a process, for whatever reason, after a last check of what its observer was told.
    func leave(_ node: SimulatedNode) {
        if let fault = node.watch.observer?.look() { fail(node, fault) }
        node.die()
    }

    /// By how much a clock leaps, in stamps.
    private static let leap = Stamp(24 * 3_600_000) << 16

    /// Lets a node's wall clock be a day ahead for some time.
    func leap(_ node: SimulatedNode, milliseconds: UInt64) {
        let life = node.life
        setClock(node, offsetMilliseconds: node.clockOffsetMilliseconds + Int64(Simulation.leap >> 16))
        node.hasLeapt = true
        plan(after: milliseconds) { simulation in
            if node.life == life { simulation.endLeap(node) }
        }
    }

    /// Sets a clock right that has leapt. A process that starts while its clock is a day ahead is told by nothing that
    /// it is (guarantees article, clocks), so none does.
    private func endLeap(_ node: SimulatedNode) {
        guard node.hasLeapt else { return }
        node.hasLeapt = false
        setClock(node, offsetMilliseconds: node.clockOffsetMilliseconds - Int64(Simulation.leap >> 16))
    }

    /// Sets how far a node's wall clock is off.
    func setClock(_ node: SimulatedNode, offsetMilliseconds: Int64) {
        faults[.clockJump] += 1
        let jump = offsetMilliseconds - node.clockOffsetMilliseconds
        // Stamps stay ahead when the clock that made them goes back, so the greatest distance that clocks ever had
        // counts.
        earliestClock = min(earliestClock, offsetMilliseconds)
        latestClock = max(latestClock, offsetMilliseconds)
        if Duration.milliseconds(latestClock - earliestClock) > settings.clockLeadMax { faults[.clockBeyondLead] += 1 }
        node.clockOffsetMilliseconds = offsetMilliseconds
        tell(node, "wall clock jumps by \(jump) ms")
    }
}
