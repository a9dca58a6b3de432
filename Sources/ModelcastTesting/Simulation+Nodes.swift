public import ModelCache
public import ModelRecord
import ModelSync
public import ModelWire

extension Simulation {
    /// Adds a publisher that runs.
    /// - Throws: `NameError` for a name that no origin may have.
    @discardableResult
    public func addPublisher(_ name: String, partitions: Partitions = .one) throws(NameError) -> NodeID {
        try addPublisher(name, partitions: partitions, disk: .none)
    }

    /// Adds a subscriber that runs.
    /// - Parameters:
    ///   - senders: whom it listens to.
    ///   - prefixes: what it takes.
    @discardableResult
    public func addSubscriber(
        _ name: String, listeningTo senders: [NodeID], prefixes: [[UInt8]] = [Array("m/".utf8)]
    ) -> NodeID {
        addSubscriber(name, listeningTo: senders, prefixes: prefixes, disk: .none, isObserved: true)
    }

    /// What a node holds; nil while it is down.
    public func cache(of node: NodeID) -> ModelCache? { nodes[node.index].cache }

    func addPublisher(
        _ name: String, partitions: Partitions, disk: SimulatedDisk.Mode, tickMicroseconds: UInt64 = 5_000
    ) throws(NameError) -> NodeID {
        try Names.check(origin: name)
        let node = SimulatedNode(
            index: nodes.count, name: name, kind: .publisher, prefixes: [], partitions: partitions, disk: disk,
            tickMicroseconds: tickMicroseconds, isObserved: false)
        nodes.append(node)
        start(node)
        return node.id
    }

    /// Adds a relay that runs.
    /// - Throws: `NameError` for a name that no origin may have.
    @discardableResult
    public func addRelay(_ name: String, listeningTo senders: [NodeID]) throws(NameError) -> NodeID {
        try addRelay(name, listeningTo: senders, disk: .none)
    }

    /// A node listens to one more sender: how a loop of relays is made.
    public func listen(_ node: NodeID, to sender: NodeID) {
        let client = nodes[node.index]
        connect(client, to: sender)
        _ = client.relay?.addSender() ?? client.subscriber?.addSender()
        if let index = client.listening.last { connectAnew(index) }
    }

    func addRelay(
        _ name: String, listeningTo senders: [NodeID], disk: SimulatedDisk.Mode, tickMicroseconds: UInt64 = 5_000
    ) throws(NameError) -> NodeID {
        try Names.check(origin: name)
        let node = SimulatedNode(
            index: nodes.count, name: name, kind: .relay, prefixes: [Array("m/".utf8)], partitions: .one, disk: disk,
            tickMicroseconds: tickMicroseconds, isObserved: false)
        nodes.append(node)
        for sender in senders { connect(node, to: sender) }
        start(node)
        return node.id
    }

    func addSubscriber(
        _ name: String, listeningTo senders: [NodeID], prefixes: [[UInt8]], disk: SimulatedDisk.Mode,
        isObserved: Bool, tickMicroseconds: UInt64 = 5_000
    ) -> NodeID {
        let node = SimulatedNode(
            index: nodes.count, name: name, kind: .subscriber, prefixes: prefixes, partitions: .one, disk: disk,
            tickMicroseconds: tickMicroseconds, isObserved: isObserved)
        nodes.append(node)
        for sender in senders { connect(node, to: sender) }
        start(node)
        return node.id
    }

    private func connect(_ node: SimulatedNode, to server: NodeID) {
        let sender = SenderID(index: node.listening.count)
        node.listening.append(links.count)
        nodes[server.index].serving.append(links.count)
        links.append(SimulatedLink(client: node.index, server: server.index, sender: sender))
    }

    // MARK: Life and death

    /// Starts a process with what its disk holds.
    func start(_ node: SimulatedNode) {
        let cache = node.disk.restored()
        switch node.kind {
        case .publisher:
            keepClockAhead(node)
            let configuration = OriginConfiguration(
                name: node.name, streamEndpoint: "memory", heartbeatInterval: settings.heartbeatInterval,
                batchByteCount: settings.batchByteCount, chunkByteCount: settings.chunkByteCount,
                partitions: node.partitions, peerTimeout: settings.reportInterval * 4,
                replayByteCount: settings.replayByteCount)
            // The name was checked when the node was added.
            node.origin = try? Origin(
                configuration: configuration, cache: cache, now: moment(node), after: node.disk.clock)
        case .subscriber:
            let replica = Replica(configuration: replicaConfiguration(node), cache: cache, seed: generator.next())
            for _ in node.listening { _ = replica.addSender() }
            node.subscriber = replica
        case .relay:
            let relay = try? Relay(
                configuration: relayConfiguration(node), cache: cache, now: moment(node), seed: generator.next())
            for _ in node.listening { _ = relay?.addSender() }
            node.relay = relay
        }
        // Every other restart goes on with the streams where the disk has them.
        if node.life % 2 == 1 { node.replica?.restore(node.disk.positions, now: moment(node)) }
        node.watch.start(cache, label: node.name)
        // What comes from the disk may stem from the middle of a snapshot.
        if let fault = node.watch.look(cache, oracle: oracle, takes: { node.takes($0) }, isWhole: { _ in false }) {
            fail(node, fault)
        }
        tell(node, "starts\(node.disk.records.isEmpty ? "" : " with \(node.disk.records.count) models of its disk")")
        for index in node.listening { connectAnew(index) }
        for index in node.serving { streamBreaks(index) }
        events.add(.tick(node: node.index, life: node.life), at: time + delay())
    }

    private func relayConfiguration(_ node: SimulatedNode) -> RelayConfiguration {
        var configuration = RelayConfiguration(
            name: node.name, streamEndpoint: "memory", clockLeadMax: settings.clockLeadMax,
            heartbeatInterval: settings.heartbeatInterval, chunkByteCount: settings.chunkByteCount,
            peerTimeout: settings.reportInterval * 4, replayByteCount: settings.replayByteCount,
            settleTime: settings.requestTimeout * 5 / 2)
        configuration.replica = replicaConfiguration(node)
        return configuration
    }

    /// A publisher that has forgotten its stamps needs a wall clock that is past them: nothing else keeps it from
    /// giving one version to two writes.
    private func keepClockAhead(_ node: SimulatedNode) {
        let last = Int64((oracle.lastStamp[node.name] ?? 0) >> 16)
        let wall = Int64(moment(node).wallMilliseconds)
        if wall <= last { node.clockOffsetMilliseconds += last + 1 - wall }
    }

    private func replicaConfiguration(_ node: SimulatedNode) -> ReplicaConfiguration {
        ReplicaConfiguration(
            name: node.name, prefixes: node.prefixes, clockLeadMax: settings.clockLeadMax,
            holeGrace: settings.holeGrace, repairJitterMax: settings.repairJitterMax,
            snapshotCredit: settings.snapshotCredit, requestTimeout: settings.requestTimeout,
            reportInterval: settings.reportInterval)
    }

    /// Kills a process: what it had not written is gone, and all of its connections.
    /// - Parameter losesDisk: its disk is gone, too.
    public func crash(_ id: NodeID, losesDisk: Bool = false) {
        let node = nodes[id.index]
        guard node.isUp else { return }
        faults[.crash] += 1
        if node.disk.crash() { faults[.tornWrite] += 1 }
        if losesDisk, node.disk.mode != .none {
            faults[.diskLost] += 1
            node.disk.erase()
        }
        tell(node, "crashes\(losesDisk ? " and loses its disk" : "")")
        if node.kind == .publisher { oracle.lose(origin: node.name, after: node.disk.updateCount) }
        node.die()
        for index in node.listening { closeAll(index) }
        for index in node.serving {
            links[index].streamEpoch += 1
            links[index].controlEpoch += 1
            links[index].active = []
            links[index].isStreamOpen = false
        }
    }

    /// Starts a process that has crashed.
    public func restart(_ id: NodeID) {
        let node = nodes[id.index]
        guard !node.isUp else { return }
        start(node)
    }

    /// Sets a wall clock.
    func setClock(_ node: SimulatedNode, offsetMilliseconds: Int64) {
        faults[.clockJump] += 1
        let jump = offsetMilliseconds - node.clockOffsetMilliseconds
        if Duration.milliseconds(abs(jump)) > settings.clockLeadMax { faults[.clockBeyondLead] += 1 }
        node.clockOffsetMilliseconds = offsetMilliseconds
        tell(node, "wall clock jumps by \(jump) ms")
    }

    // MARK: Disk

    /// Writes what is due, or before anything leaves the process.
    func writeBehind(_ node: SimulatedNode) {
        guard node.disk.mode == .writeBehind else { return }
        node.disk.finish(at: time)
        guard !node.disk.isWriting, time >= node.nextWrite else { return }
        let delay = UInt64.random(in: 5_000...100_000, using: &generator)
        node.nextWrite = time + delay * 2
        beginWrite(node, dueAt: time + delay)
    }

    func writeNow(_ node: SimulatedNode) {
        beginWrite(node, dueAt: time)
        node.disk.finish(at: time)
    }

    private func beginWrite(_ node: SimulatedNode, dueAt: UInt64) {
        guard let cache = node.cache else { return }
        let positions = node.replica?.positions.sorted {
            ($0.origin, $0.topic.description) < ($1.origin, $1.topic.description)
        }
        node.disk.begin(
            cache, updateCount: oracle.updateCount(of: node.name), clock: oracle.lastStamp[node.name] ?? 0,
            positions: positions ?? [], dueAt: dueAt)
    }
}
