import ModelWire

/// Batches that arrive broken, also when they are sent again: as behind a middlebox that damages them, or from a sender
/// that writes bytes which no other process can read.
extension Simulation {
    /// A message of a stream as it arrives over this link.
    func damaged(_ index: Int, topic: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        guard conditions.lastingDamagePerMille > 0 || !links[index].damage.isEmpty,
            let id = Simulation.batchID(topic: topic, payload)
        else { return payload }
        if let broken = links[index].damage[id] { return broken }
        guard chance(conditions.lastingDamagePerMille), let broken = brokenForSure(payload) else { return payload }
        faults[.lastingDamage] += 1
        // The damage is on this link, or on the links of all nodes that listen to the sender.
        let server = nodes[links[index].server]
        for other in chance(500) ? server.serving : [index] { links[other].damage[id] = broken }
        return broken
    }

    /// A reply as it arrives over this link: the replay of a batch that stays broken is broken in the same way.
    func damaged(reply payload: [UInt8], _ index: Int) -> [UInt8] {
        guard !links[index].damage.isEmpty,
            case .frame(let rid, let topic, let batch)? = try? ControlReply(decoding: payload.span, limits: .default),
            let id = Simulation.batchID(topic: topic.bytes, batch), let broken = links[index].damage[id]
        else { return payload }
        return ControlReply.frame(rid: rid, topic: topic, batch: broken).encode()
    }

    private static func batchID(topic: [UInt8], _ payload: [UInt8]) -> BatchID? {
        guard topic.first == UInt8(ascii: "m"), let batch = PlainItem(payload).flatMap({ BatchFacts($0) }) else {
            return nil
        }
        return BatchID(
            origin: batch.origin, incarnation: batch.incarnation, topic: Topic(bytes: topic),
            sequence: batch.sequence)
    }

    /// The payload with some of its last bytes cut off; nil if the decoder reads that.
    private func brokenForSure(_ payload: [UInt8]) -> [UInt8]? {
        guard payload.count > 1 else { return nil }
        let copy = Array(payload.dropLast(Int.random(in: 1..<payload.count, using: &generator)))
        return Simulation.isNoStreamFrame(copy) ? copy : nil
    }
}
