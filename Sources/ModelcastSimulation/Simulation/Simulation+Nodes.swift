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
    ///   - senders: the publishers and relays that it listens to.
    ///   - prefixes: the byte prefixes of the topics that it subscribes to; all data by default.
    @discardableResult
    public func addSubscriber(
        _ name: String, listeningTo senders: [NodeID], prefixes: [[UInt8]] = [Array("m/".utf8)]
    ) -> NodeID {
        addSubscriber(name, listeningTo: senders, prefixes: prefixes, disk: .none, isObserved: true)
    }

    /// The cache of a node; nil while it is down.
    public func cache(of node: NodeID) -> ModelCache? { nodes[node.index].cache }

    func addPublisher(
        _ name: String, partitions: Partitions, disk: SimulatedDisk.Mode, tickMicroseconds: UInt64 = 5_000
    ) throws(NameError) -> NodeID {
        let node = try makeNode(
            name, .publisher, partitions: partitions, disk: disk, tickMicroseconds: tickMicroseconds)
        start(node)
        return node.id
    }

    /// Adds a relay that runs.
    /// - Throws: `NameError` for a name that no origin may have.
    @discardableResult
    public func addRelay(_ name: String, listeningTo senders: [NodeID]) throws(NameError) -> NodeID {
        try addRelay(name, listeningTo: senders, disk: .none)
    }

    /// Makes a node listen to one more sender, for example to close a loop of relays.
    public func listen(_ node: NodeID, to sender: NodeID) {
        let client = nodes[node.index]
        connect(client, to: sender)
        noteRelays()
        _ = client.relay?.addSender() ?? client.subscriber?.addSender()
        grantSenders(client)
        if let index = client.listening.last { connectAnew(index) }
    }

    func addRelay(
        _ name: String, listeningTo senders: [NodeID], disk: SimulatedDisk.Mode, tickMicroseconds: UInt64 = 5_000
    ) throws(NameError) -> NodeID {
        let node = try makeNode(
            name, .relay, prefixes: [Array("m/".utf8)], disk: disk, tickMicroseconds: tickMicroseconds,
            listeningTo: senders)
        start(node)
        return node.id
    }

    func addSubscriber(
        _ name: String, listeningTo senders: [NodeID], prefixes: [[UInt8]], disk: SimulatedDisk.Mode,
        isObserved: Bool, limits: CacheLimits? = nil, tickMicroseconds: UInt64 = 5_000
    ) -> NodeID {
        let node = addNode(
            name, .subscriber, prefixes: prefixes, disk: disk, tickMicroseconds: tickMicroseconds,
            isObserved: isObserved, listeningTo: senders)
        node.limits = limits
        start(node)
        return node.id
    }

    /// Adds a node that does not run yet, whose name other nodes will see as an origin's.
    func makeNode(
        _ name: String, _ kind: SimulatedNode.Kind, prefixes: [[UInt8]] = [], partitions: Partitions = .one,
        disk: SimulatedDisk.Mode, tickMicroseconds: UInt64, listeningTo senders: [NodeID] = []
    ) throws(NameError) -> SimulatedNode {
        try Names.check(origin: name)
        return addNode(
            name, kind, prefixes: prefixes, partitions: partitions, disk: disk, tickMicroseconds: tickMicroseconds,
            listeningTo: senders)
    }

    private func addNode(
        _ name: String, _ kind: SimulatedNode.Kind, prefixes: [[UInt8]], partitions: Partitions = .one,
        disk: SimulatedDisk.Mode, tickMicroseconds: UInt64, isObserved: Bool = false, listeningTo senders: [NodeID]
    ) -> SimulatedNode {
        let node = SimulatedNode(
            index: nodes.count, name: name, kind: kind, prefixes: prefixes, partitions: partitions, disk: disk,
            tickMicroseconds: tickMicroseconds, isObserved: isObserved)
        nodes.append(node)
        for sender in senders { connect(node, to: sender) }
        noteRelays()
        // Each node knows the keys of all that write.
        for other in nodes { requireSignatures(other) }
        return node
    }

    private func noteRelays() { oracle.relays = nodes.filter { $0.kind == .relay }.map { relays(heardBy: $0) } }

    private func connect(_ node: SimulatedNode, to server: NodeID) {
        let sender = SenderID(index: node.listening.count)
        node.listening.append(links.count)
        nodes[server.index].serving.append(links.count)
        links.append(SimulatedLink(client: node.index, server: server.index, sender: sender))
    }
}
