import ModelCache
import ModelRecord
import ModelSync
import ModelWire

extension Simulation {
    func handle(_ event: Event) {
        // Events for a process that is stopped wait, in order.
        if let node = process(of: event), time < node.stoppedUntil { return events.add(event, at: node.stoppedUntil) }
        switch event {
        case .tick(let index, let life):
            guard nodes[index].isUp, nodes[index].life == life else { return }
            tick(nodes[index])
        case .connected(let index, let attempt):
            guard links[index].attempt == attempt else { return }
            let node = nodes[links[index].client]
            node.subscriber?.connected(links[index].sender, now: moment(node))
            node.relay?.connected(links[index].sender, now: moment(node))
            node.pusher?.connected(links[index].sender.index, now: moment(node))
            settle(node)
        case .streamOpen(let index, let epoch):
            guard links[index].streamEpoch == epoch else { return }
            streamOpened(index)
        case .message(let index, let epoch, let message):
            guard isReachable(index) else { return }
            deliver(index, epoch, message)
        case .plan(_, let body): body(self)
        }
    }

    /// The node whose process handles the event; nil where the network does.
    private func process(of event: Event) -> SimulatedNode? {
        switch event {
        case .tick(let node, _), .plan(let node?, _): nodes[node]
        case .connected(let link, _), .message(let link, _, .stream), .message(let link, _, .reply):
            nodes[links[link].client]
        case .message(let link, _, .subscription), .message(let link, _, .request): nodes[links[link].server]
        case .streamOpen, .plan(nil, _): nil
        }
    }

    private func tick(_ node: SimulatedNode) {
        defer {
            if node.isUp {
                events.add(.tick(node: node.index, life: node.life), at: time + node.tickMicroseconds)
            }
        }
        if node.kind == .job { return tickJob(node) }
        let now = moment(node)
        node.origin?.flush()
        node.origin?.tick(now: now)
        node.subscriber?.tick(now: now)
        node.relay?.tick(now: now)
        settle(node)
        writeBehind(node)
        if node.liar != nil { lie(node) }
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
            noteJoin(of: client, at: server, payload)
            let before = arrivals(server)
            server.relay?.receive(payload.span, from: link.peer(index), now: moment(server))
            if client.kind == .job, let push = Simulation.push(payload) {
                noteArrival(push.payload, topic: push.batch.topic.bytes, server, isPushed: true, since: before)
            }
            settle(server)
        case .reply(let payload):
            guard link.controlEpoch == epoch else { return }
            let payload = tampered(reply: payload, client)
            tell(client, "hears \(Simulation.method(payload)) from \(server.name)")
            let before = arrivals(client)
            client.subscriber?.receiveControl(link.sender, payload.span, now: moment(client))
            client.relay?.receiveControl(link.sender, payload.span, now: moment(client))
            client.pusher?.receive(link.sender.index, payload.span, now: moment(client))
            if let batch = Simulation.replayed(payload) {
                noteArrival(batch.payload, topic: batch.topic, client, since: before)
            }
            settle(client, afterRecordsOf: Simulation.bringsRecords(payload) ? server : nil)
        case .stream(let topic, let payload):
            guard link.streamEpoch == epoch else { return }
            receive(index, topic: topic, payload: payload, client)
        }
    }

    private func receive(_ index: Int, topic: [UInt8], payload: [UInt8], _ client: SimulatedNode) {
        guard client.replica != nil else { return }
        let frame = topic.first == UInt8(ascii: "m") ? PlainItem(payload) : nil
        let batch = frame.flatMap { BatchFacts($0) }
        let tampered = tampered(stream: payload, batch, topic: topic, client)
        let before = arrivals(client)
        let (sender, now) = (links[index].sender, moment(client))
        client.subscriber?.receiveStream(sender, topic: topic.span, payload: tampered.span, now: now)
        client.relay?.receiveStream(sender, topic: topic.span, payload: tampered.span, now: now)
        if batch != nil { noteArrival(payload, topic: topic, client, since: before) }
        settle(client)
    }

    /// Counts the parts of transactions that wait at a relay when a client asks it for a snapshot. The relay has sent
    /// them on already and its snapshot lacks them, so the client has to ask for them. So it has for what lies beyond a
    /// hole of the relay: no head tells that it is in the snapshot. The relay may have joined between two parts itself
    /// and not know yet that it lacks one.
    private func noteJoin(of client: SimulatedNode, at server: SimulatedNode, _ request: [UInt8]) {
        guard PlainItem(request)?.children.first?.text == "snapshot" else { return }
        guard let replica = server.relay?.replica else { return }
        client.heldAtJoins += replica.heldPartCount + replica.awaitedPartCount + replica.runsBeyondHoles
    }

    func check(_ node: SimulatedNode, afterRecordsOf server: SimulatedNode?) {
        guard failure == nil, let cache = node.cache else { return }
        tellWatched(node, cache)
        checkAppliedCount(node)
        noteHoles(node)
        // Checking the invariants walks over all state, so it happens after every 16th event only.
        if eventCount % 16 == 0, let fault = node.brokenInvariant() { return fail(node, fault) }
        tearIncomplete(node, cache)
        // What is fetched or compared comes as records, too. A relay may hold more than its heads tell, so there a step
        // may show in part until the rest of it comes.
        let hasFetched = node.hasFetched()
        let server = hasFetched ? server ?? node : server
        let isBehindRelay = node.listening.contains { nodes[links[$0].server].kind == .relay }
        let commitNumber = node.watch.commitNumber
        let fault = node.watch.look(
            cache, oracle: oracle, takes: { node.takes($0) },
            isWhole: { !(hasFetched && isBehindRelay) && mustBeWhole($0, node, server) }, isLate: isLatePush)
        if let fault { return fail(node, fault) }
        // The observer's queue does not run after each commit, so that waiting changes are folded, too.
        guard let observer = node.watch.observer, node.watch.commitNumber != commitNumber, chance(150) else { return }
        if let fault = observer.look() { fail(node, fault) }
    }

    /// Counts the holes that a node finds while the first snapshot of a sender is on its way to it: that snapshot may
    /// bring what is missing.
    private func noteHoles(_ node: SimulatedNode) {
        guard let replica = node.replica else { return }
        let count = replica.counters[.holesFound]
        if count > node.foundCount, replica.senderStatus(now: moment(node)).contains(where: { $0.state == .syncing }) {
            node.foundWhileJoining += count - node.foundCount
        }
        node.foundCount = count
    }

    /// Tells the oracle when a machine has given up an incomplete transaction, which its counter shows.
    private func tearIncomplete(_ node: SimulatedNode, _ cache: ModelCache) {
        guard let count = node.replica?.counters[.incompleteGroups], count > node.watch.incompleteCount else { return }
        node.watch.incompleteCount = count
        let models = oracle.models
        oracle.tear { update in
            let key = models[update.model]
            guard let record = cache.record(type: key.type, id: key.id, includingTombstones: true) else { return false }
            return OracleModel(record).holds(update)
        }
    }

    /// True when a node's copy must show all of a step or nothing of it.
    ///
    /// Records of a snapshot become visible as they arrive; only those of a step over several topics are held back
    /// until all are there. Batches that are rejected for their stamps leave gaps, and a liar that claims to hold all
    /// parts is believed at first.
    private func mustBeWhole(_ step: Oracle.Step, _ node: SimulatedNode, _ server: SimulatedNode?) -> Bool {
        if step.topics.count > 1, hasLiar { return false }
        // A publisher holds parts of others' steps, where it has taken them back with its own models.
        guard !node.holdsOnlyItsOwn else { return step.origin == node.name }
        guard server != nil else { return true }
        return node.takesSeveral(of: step.topics) && faults[.clockBeyondLead] == 0 && isWhole(node)
    }

    /// True when every sender is live or repairs a hole: then no batch may show in part.
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
