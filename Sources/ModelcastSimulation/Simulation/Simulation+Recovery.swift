import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// The progress of a publisher without a disk that takes its models back from relays, as `Publisher.recover` does.
struct RecoveryState {
    /// The relays that are still to be asked, by node.
    var waiting: [Int]
    /// The relay that is being asked.
    var relay = 0
    /// The routing identity of the connection to that relay. Answers to an earlier identity are dropped.
    var peer: [UInt8] = []
    var heads: [Heads] = []
    var records: [(type: String, record: CellRecord)] = []
    /// The types of which something was taken.
    var types: Set<String> = []
    /// When the relay is given up.
    var deadline: UInt64 = 0
    /// When the last message arrives. Later ones arrive no earlier, which keeps their order.
    var lastArrival: UInt64 = 0
    var attempts: UInt8 = 0
}

/// A publisher that has crashed and has no disk asks relays for its models before it writes again. Then it deletes some
/// of them, like a publisher whose input has shrunk meanwhile.
extension Simulation {
    /// Begins the recovery of a publisher that is to recover, unless this is its first start. The publisher writes
    /// nothing until the recovery is done.
    func startRecovery(_ node: SimulatedNode) {
        guard node.kind == .publisher, node.life > 0, !node.recoversFrom.isEmpty else { return }
        node.recovery = RecoveryState(waiting: node.recoversFrom)
        askNextRelay(node)
    }

    private func askNextRelay(_ node: SimulatedNode) {
        guard var recovery = node.recovery else { return }
        guard !recovery.waiting.isEmpty else { return finishRecovery(node) }
        recovery.relay = recovery.waiting.removeFirst()
        recovery.deadline = time + settings.requestTimeout.wholeMicroseconds * 6
        node.recovery = recovery
        sayHello(node)
    }

    private func sayHello(_ node: SimulatedNode) {
        guard var recovery = node.recovery else { return }
        recovery.attempts &+= 1
        recovery.peer = [0xEE, UInt8(truncatingIfNeeded: node.index), UInt8(truncatingIfNeeded: node.life)]
        recovery.peer.append(recovery.attempts)
        let peer = recovery.peer
        node.recovery = recovery
        ask(node, .hello(rid: 1, version: 1, name: node.name, prefixes: []))
        // The answer may be lost when the relay crashes, so the publisher asks again after a time.
        later(node, peer, at: time + settings.requestTimeout.wholeMicroseconds * 2) { simulation in
            simulation.tryAgain(node)
        }
    }

    private func tryAgain(_ node: SimulatedNode) {
        guard let recovery = node.recovery else { return }
        guard time < recovery.deadline else { return askNextRelay(node) }
        node.recovery?.records = []
        sayHello(node)
    }

    /// Runs `body` at a time, unless the publisher has died meanwhile or uses another connection by then.
    /// - Parameter process: the node that does it; nil for the publisher itself.
    private func later(
        _ node: SimulatedNode, _ peer: [UInt8], at time: UInt64, in process: SimulatedNode? = nil,
        _ body: @escaping (Simulation) -> Void
    ) {
        let life = node.life
        events.add(
            .plan(of: (process ?? node).index) { simulation in
                guard node.isUp, node.life == life, node.recovery?.peer == peer else { return }
                body(simulation)
            }, at: time)
    }

    private func ask(_ node: SimulatedNode, _ request: ControlRequest) {
        guard var recovery = node.recovery else { return }
        let (peer, relay) = (recovery.peer, nodes[recovery.relay])
        recovery.lastArrival = max(time + delay(), recovery.lastArrival)
        node.recovery = recovery
        let payload = request.encode()
        later(node, peer, at: recovery.lastArrival, in: relay) { simulation in
            guard relay.isUp else { return }
            relay.relay?.receive(payload.span, from: peer, now: simulation.moment(relay))
            simulation.settle(relay)
        }
    }

    /// Delivers a relay's reply to the publisher that recovers over this peer, as no link belongs to it.
    func replyToRecovery(_ peer: [UInt8], _ payload: [UInt8]) {
        guard let node = nodes.first(where: { $0.recovery?.peer == peer }), var recovery = node.recovery,
            let reply = try? ControlReply(decoding: payload.span, limits: .default)
        else { return }
        recovery.lastArrival = max(time + delay(), recovery.lastArrival)
        node.recovery = recovery
        later(node, peer, at: recovery.lastArrival) { $0.recover(node, reply) }
    }

    private func recover(_ node: SimulatedNode, _ reply: ControlReply) {
        switch reply {
        case .welcome(_, _, _, _, _, _, let heads, _):
            node.recovery?.heads = heads
            ask(node, .snapshot(rid: 2, prefixes: [Topic(bytes: Array("m/".utf8))], credit: 4))
        case .records(_, let type, let records):
            node.recovery?.records += records.map { (type: type, record: $0) }
            ask(node, .credit(rid: 2, count: 1))
        case .part(_, let type, let record):
            // Parts are joined like whole records; no reader sees them before all are here.
            node.recovery?.records.append((type: type, record: record))
            ask(node, .credit(rid: 2, count: 1))
        case .complete:
            adopt(node)
            askNextRelay(node)
        case .error(_, .busy, _):
            guard let peer = node.recovery?.peer else { return }
            later(node, peer, at: time + 100_000) { $0.tryAgain(node) }
        default: askNextRelay(node)
        }
    }

    /// Adopts the relay's heads and records, as `Publisher` does.
    private func adopt(_ node: SimulatedNode) {
        guard let recovery = node.recovery else { return }
        let now = moment(node)
        for heads in recovery.heads { node.origin?.adopt(heads, now: now) }
        var types: Set<String> = []
        for (type, record) in recovery.records
        where node.origin?.adopt(record, type: type, now: now) ?? false {
            types.insert(type)
        }
        node.recovery?.types.formUnion(types)
        faults[.recovery] += 1
        tell(node, "has taken models of \(types.sorted()) back from \(nodes[recovery.relay].name)")
        node.recovery?.records = []
        settle(node)
    }

    /// Ends the recovery after every relay was asked: the publisher writes again, and deletes some models that its
    /// input no longer has.
    private func finishRecovery(_ node: SimulatedNode) {
        let types = node.recovery?.types ?? []
        node.recovery = nil
        node.origin?.resume(types.sorted(), now: moment(node))
        guard let cache = node.origin?.cache else { return }
        for key in oracle.models where cache[key.type, key.id] != nil && chance(300) {
            do {
                _ = try write(at: node.id, .delete, type: key.type, id: key.id)
            } catch {
                fail(node, "cannot delete \(key): \(error)")
            }
        }
        flush(node.id)
    }
}
