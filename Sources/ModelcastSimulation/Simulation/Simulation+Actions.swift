import ModelRecord
import ModelSync
import ModelWire

extension Simulation {
    /// Carries out the actions of a node's machine, then checks the node's copy.
    /// - Parameter server: the node whose records the machine has received just now; nil after any other event.
    func settle(_ node: SimulatedNode, afterRecordsOf server: SimulatedNode? = nil) {
        if node.kind == .job {
            if node.origin?.hasActions ?? false || node.pusher?.hasActions ?? false { carryOut(job: node) }
        } else if node.origin?.hasActions ?? false {
            carryOut(publisher: node)
        }
        if node.subscriber?.hasActions ?? false { carryOut(subscriber: node) }
        if node.relay?.hasActions ?? false { carryOut(relay: node) }
        check(node, afterRecordsOf: server)
    }

    /// True for replies that can make records visible: `records` brings them, and `complete` ends the holding back of
    /// some.
    static func bringsRecords(_ reply: [UInt8]) -> Bool {
        let methods = [[0x67] + Array("records".utf8), [0x68] + Array("complete".utf8)]
        return methods.contains { reply.dropFirst().starts(with: $0) }
    }

    private func carryOut(publisher node: SimulatedNode) {
        if node.disk.mode != .none { node.origin?.flush() }
        guard let actions = node.origin?.takeActions() else { return }
        if actions.count > Simulation.actionCountMax { fail(node, "\(actions.count) actions at once") }
        var hasBatches = false
        for case .publish(let topic, let payload) in actions where topic.type != nil {
            hasBatches = true
            guard let batch = oracle.note(topic: topic, payload: payload) else {
                return fail(node, "publishes bytes on \(topic) that are no batch")
            }
            if settings.hasSignatures { lastSigned[node.name] = (topic.bytes, payload) }
            tell(node, "publishes \(topic) #\(batch.sequence) with \(batch.updateCount) updates")
        }
        if hasBatches, node.disk.mode == .beforeSend { writeNow(node) }
        for action in actions {
            switch action {
            case .publish(let topic, let payload):
                publish(node, topic: topic.bytes, payload: distorted(stream: payload, node))
            case .reply(let peer, let payload):
                for payload in distorted(reply: payload, node) { reply(node, peer, payload) }
            case .notice(let notice):
                tell(node, notice.description)
                if notice.kind == .clockRenewed { noteClockRenewed(node) }
            }
        }
    }

    /// Notes that a publisher or job has written those of its updates anew whose stamps lay too far ahead. The old ones
    /// are gone from its own copy, and every other node had refused them.
    func noteClockRenewed(_ node: SimulatedNode) {
        let lead = settings.clockLeadMax.wholeMicroseconds / 1000
        oracle.lose(origin: node.name, above: (moment(node).wallMilliseconds + lead) << 16 | 0xFFFF)
        node.hasWrittenAnew = true
        node.watch.forget()
    }

    private func carryOut(subscriber node: SimulatedNode) {
        guard let actions = node.subscriber?.takeActions() else { return }
        if actions.count > Simulation.actionCountMax { fail(node, "\(actions.count) actions at once") }
        writeBeforeSend(node)
        for action in actions { carryOut(action, node) }
    }

    private func carryOut(relay node: SimulatedNode) {
        guard let actions = node.relay?.takeActions() else { return }
        if actions.count > Simulation.actionCountMax { fail(node, "\(actions.count) actions at once") }
        writeBeforeSend(node)
        for action in actions {
            switch action {
            case .replica(let action): carryOut(action, node)
            case .publish(let topic, let payload):
                if topic.type != nil, let fault = node.forward(topic, payload, now: moment(node)) { fail(node, fault) }
                publish(node, topic: topic.bytes, payload: payload)
            case .reply(let peer, let payload): reply(node, peer, payload)
            case .persist(let token, let topic, let payload, let origin, let incarnation, let sequence):
                let stream = ReplayRing.Stream(origin: origin, incarnation: incarnation, topic: topic)
                persist(
                    node, token: token, SimulatedDisk.Push(stream: stream, sequence: sequence, payload: payload))
            }
        }
    }

    private func reply(_ node: SimulatedNode, _ peer: [UInt8], _ payload: [UInt8]) {
        guard let index = node.serving.first(where: { links[$0].peer($0) == peer }) else {
            return replyToRecovery(peer, payload)
        }
        let client = nodes[links[index].client]
        if client.kind == .job { noteAnswer(payload, of: node, to: client) }
        reply(index, payload)
    }

    private func carryOut(_ action: ReplicaAction, _ node: SimulatedNode) {
        switch action {
        case .connectStream(let sender, _): openStream(node.listening[sender.index])
        case .subscribe(let sender, let prefix):
            let index = node.listening[sender.index]
            links[index].subscriptions.append(prefix)
            sendUp(index, .subscription(prefix: prefix, isOn: true))
            if settings.sabotage == .barrier, prefix.first == 0xFF { pretendBarrier(index, prefix) }
        case .unsubscribe(let sender, let prefix):
            let index = node.listening[sender.index]
            links[index].subscriptions.removeAll { $0 == prefix }
            sendUp(index, .subscription(prefix: prefix, isOn: false))
        case .request(let sender, let payload):
            if settings.sabotage == .reach || settings.sabotage == .arrivals,
                case .fetch(let rid, let type, let ids)? = try? ControlRequest(decoding: payload.span, limits: .default)
            {
                node.fetches[rid] = ids.map { ModelKey(type: type, id: $0) }
            }
            sendUp(node.listening[sender.index], .request(payload))
        case .reconnect(let sender): connectAnew(node.listening[sender.index])
        case .notice(let notice):
            tell(node, notice.description)
            // A copy may go back in this case only: the replica builds it anew, as a whole.
            if notice.kind == .startedAnew { node.watch.forget() }
            if notice.kind == .senderLive, node.joined.insert(notice.metadata["sender"] ?? "").inserted {
                node.joinedLate = node.joinedLate || time - node.startedAt >= settings.settleTime.wholeMicroseconds
            }
        case .fetched(let token, let records):
            tell(node, "has fetched \(records.map(\.description))")
            let found = Set(records.lazy.map { ExactText($0.id) })
            let asked = node.asked.removeValue(forKey: token) ?? []
            node.missing.formUnion(asked.filter { !found.contains(ExactText($0.id)) })
        case .forward: fail(node, "only a relay forwards")
        }
    }

    /// The greatest number of actions that one event may cause.
    private static let actionCountMax = 10_000
}
