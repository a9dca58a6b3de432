import ModelSync
import ModelWire

extension Simulation {
    func handle(_ event: Event) {
        switch event {
        case .tick(let index, let life):
            guard nodes[index].isUp, nodes[index].life == life else { return }
            tick(nodes[index])
        case .connected(let index, let attempt):
            guard links[index].attempt == attempt else { return }
            let node = nodes[links[index].client]
            node.subscriber?.connected(links[index].sender, now: moment(node))
            node.relay?.connected(links[index].sender, now: moment(node))
            settle(node)
        case .streamOpen(let index, let epoch):
            guard links[index].streamEpoch == epoch else { return }
            streamOpened(index)
        case .message(let index, let epoch, let message):
            guard isReachable(index) else { return }
            deliver(index, epoch, message)
        case .plan(let body): body(self)
        }
    }

    private func tick(_ node: SimulatedNode) {
        let now = moment(node)
        node.origin?.flush()
        node.origin?.tick(now: now)
        node.subscriber?.tick(now: now)
        node.relay?.tick(now: now)
        settle(node)
        writeBehind(node)
        events.add(.tick(node: node.index, life: node.life), at: time + node.tickMicroseconds)
    }

    private func deliver(_ index: Int, _ epoch: Int, _ message: Message) {
        let link = links[index]
        let (client, server) = (nodes[link.client], nodes[link.server])
        switch message {
        case .subscription(let prefix, let isOn):
            guard link.streamEpoch == epoch else { return }
            links[index].active.removeAll { $0 == prefix }
            guard isOn else { return }
            links[index].active.append(prefix)
            server.origin?.subscribed(to: prefix, now: moment(server))
            server.relay?.subscribed(to: prefix, now: moment(server))
            settle(server)
        case .request(let payload):
            guard link.controlEpoch == epoch else { return }
            tell(server, "is asked for \(Simulation.method(payload)) by \(client.name)")
            server.origin?.receive(payload.span, from: link.peer(index), now: moment(server))
            server.relay?.receive(payload.span, from: link.peer(index), now: moment(server))
            settle(server)
        case .reply(let payload):
            guard link.controlEpoch == epoch else { return }
            let payload = tampered(reply: payload, client)
            tell(client, "hears \(Simulation.method(payload)) from \(server.name)")
            client.subscriber?.receiveControl(link.sender, payload.span, now: moment(client))
            client.relay?.receiveControl(link.sender, payload.span, now: moment(client))
            settle(client, afterRecordsOf: Simulation.bringsRecords(payload) ? server : nil)
        case .stream(let topic, let payload):
            guard link.streamEpoch == epoch else { return }
            receive(index, topic: topic, payload: payload, client)
        }
    }

    private func receive(_ index: Int, topic: [UInt8], payload: [UInt8], _ client: SimulatedNode) {
        guard let replica = client.replica else { return }
        let frame = topic.first == UInt8(ascii: "m") ? PlainItem(payload) : nil
        let batch = frame.flatMap { BatchFacts($0) }
        let payload = tampered(stream: payload, batch, topic: topic, client)
        let appliedBefore = replica.counters[.appliedBatches]
        let olderBefore = replica.counters[.olderIncarnationBatches]
        let (sender, now) = (links[index].sender, moment(client))
        client.subscriber?.receiveStream(sender, topic: topic.span, payload: payload.span, now: now)
        client.relay?.receiveStream(sender, topic: topic.span, payload: payload.span, now: now)
        if let batch, replica.counters[.appliedBatches] > appliedBefore, frame?.children.count == 6,
            replica.counters[.olderIncarnationBatches] == olderBefore || settings.sabotage == .dedupe
        {
            if let fault = client.watch.apply(batch, topic: topic) { fail(client, fault) }
        }
        settle(client)
    }

    func check(_ node: SimulatedNode, afterRecordsOf server: SimulatedNode?) {
        guard failure == nil, let cache = node.cache else { return }
        let fault = node.watch.look(
            cache, oracle: oracle, takes: { node.takes($0) }, isWhole: { mustBeWhole($0, node, server) })
        if let fault { fail(node, fault) }
    }

    /// Records of a snapshot come as they come; only those of a step over several topics are held back until all are
    /// there. What is rejected for its clock leaves gaps.
    private func mustBeWhole(_ step: Oracle.Step, _ node: SimulatedNode, _ server: SimulatedNode?) -> Bool {
        guard server != nil else { return true }
        return node.takesSeveral(of: step.topics) && faults[.clockBeyondLead] == 0 && isWhole(node)
    }

    /// No batch may show in part: every sender is live, or mends a hole.
    private func isWhole(_ node: SimulatedNode) -> Bool {
        guard let replica = node.replica else { return true }
        return node.listening.indices.allSatisfy { index in
            switch replica.state(of: SenderID(index: index)) {
            case .live, .repairing: true
            case .connecting, .syncing, .stale: false
            }
        }
    }
}
