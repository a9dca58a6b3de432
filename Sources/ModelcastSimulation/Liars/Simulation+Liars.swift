import ModelRecord
import ModelSync
import ModelWire

/// Publishers that make false claims about other origins.
extension Simulation {
    /// True when some publisher is a liar.
    var hasLiar: Bool { nodes.contains { $0.liar != nil } }

    /// A relay to which a liar tells later starts of a job cannot know what of the job was here before. What the job
    /// pushes late is merged then, as if it were new, though it may have been deleted and forgotten.
    func isLatePush(_ version: Version) -> Bool {
        hasLiar && oracle.isForgetful && oracle.isOldPush(version, at: Simulation.wallStartMilliseconds + time / 1000)
    }

    /// The replies that a liar sends in place of an honest one; empty where it does not answer. The reply of an honest
    /// node stays as it is.
    func distorted(reply payload: [UInt8], _ node: SimulatedNode) -> [[UInt8]] {
        guard node.liar != nil, let reply = try? ControlReply(decoding: payload.span, limits: .default) else {
            return [payload]
        }
        var replies = [payload]
        switch reply {
        case .welcome(let rid, let version, var name, let endpoint, let heartbeat, let limit, var heads, let types):
            if settings.sabotage == .ownWord {
                name = nodes.first { $0.kind == .publisher && $0.liar == nil }?.name ?? name
            } else {
                heads += forged(node, as: .welcome)
            }
            replies = [
                ControlReply.welcome(
                    rid: rid, version: version, name: name, streamEndpoint: endpoint,
                    heartbeatMilliseconds: heartbeat, frameLimit: limit, heads: heads, types: types
                ).encode()
            ]
        case .records(let rid, let type, let records) where node.liar?.forgesRecords ?? false:
            replies = [
                ControlReply.records(rid: rid, type: type, records: withForged(records, type: type, node)).encode()
            ]
        case .complete(let rid, let heads):
            replies = [ControlReply.complete(rid: rid, heads: heads + forged(node, as: .cover)).encode()]
        case .digests(let rid, let heads, var digests):
            if node.liar?.lies(about: .digests) ?? false, !digests.isEmpty { digests[0] = digests[0] &+ 1 }
            let told = heads + forged(node, as: .cover)
            replies = [ControlReply.digests(rid: rid, heads: told, digests: digests).encode()]
        case .error(let rid, _, _) where node.liar?.lies(about: .silence) ?? false:
            replies = node.liar?.chance(500) ?? false ? [] : [ControlReply.complete(rid: rid, heads: []).encode()]
        default: break
        }
        if node.liar?.lies(about: .noise) ?? false, node.liar?.chance(300) ?? false {
            let rid = UInt64(node.liar?.generator.next() ?? 0) % 1000
            replies.append(ControlReply.complete(rid: rid, heads: forged(node, as: .noise)).encode())
            replies.append(ControlReply.gone(rid: rid, oldest: 7).encode())
        }
        return replies
    }

    /// A frame of a node's stream. The heads of a liar are distorted.
    func distorted(stream payload: [UInt8], _ node: SimulatedNode) -> [UInt8] {
        guard node.liar != nil else { return payload }
        return FrameSurgery.mapHeads(payload) { node.liar?.distorted($0) ?? $0 }
    }

    /// Now and then sends lies on a liar's stream: false heads, a broken frame, and a `bye` for each other origin.
    func lie(_ node: SimulatedNode) {
        guard node.liar?.chance(50) ?? false else { return }
        if node.liar?.forgesBatches ?? false { forgeBatches(node) }
        let many = node.liar?.flood?.next() ?? []
        if !many.isEmpty { faults[.flood] += 1 }
        for heads in forged(node, as: .heads, adding: many) {
            faults[.lie] += 1
            let topic = Topic.heads(origin: heads.origin)
            tell(
                node,
                "says that \(heads.origin) of \(heads.incarnation) stands at "
                    + "\(heads.heads.prefix(20).map(\.sequence)) on \(heads.heads.count) topics")
            publish(node, topic: topic.bytes, payload: heads.encode())
        }
        guard node.liar?.lies(about: .noise) ?? false else { return }
        publish(node, topic: Topic.data(type: "User").bytes, payload: [0x87, 0x00, 0x61])
        let others = oracle.lastSent.keys.sorted().filter { $0 != node.name }
        for origin in others {
            let bye = Bye(origin: origin, incarnation: .max, stamp: .max)
            publish(node, topic: Topic.heads(origin: origin).bytes, payload: bye.encode())
        }
    }

    /// False heads for a lie, if the liar tells it or floods others with topics, and those of origins that it makes up.
    private func forged(_ node: SimulatedNode, as lie: Liar.Lie, adding topics: [TopicHead] = []) -> [Heads] {
        var known = node.liar?.lies(about: lie) ?? false || !topics.isEmpty ? forged(node) : []
        for index in known.indices { known[index].heads += topics }
        return known + (node.liar?.madeUp?.next() ?? [])
    }

    /// False heads of each origin other than the liar.
    private func forged(_ node: SimulatedNode) -> [Heads] {
        let lead = settings.clockLeadMax.wholeMicroseconds / 1000
        return oracle.lastSent.sorted { $0.key < $1.key }.filter { $0.key != node.name }
            .compactMap { node.liar?.forged($0.key, $0.value, leadMilliseconds: lead) }
            .map { heads in
                var heads = heads
                if settings.sabotage == .ownWord { heads.isRelayed = false }
                return heads
            }
    }
}
