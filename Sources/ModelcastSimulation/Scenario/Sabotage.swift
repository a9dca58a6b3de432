import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// A protection of the protocol that a simulation takes away from its replicas, to prove that its checkers find that
/// out.
///
/// The machines have no switch for it. The simulation tampers with the messages to a replica, so that it behaves like
/// one without the protection.
public enum Sabotage: String, CaseIterable, Sendable {
    /// Holes go unnoticed: in the place of each lost batch comes one with its sequence and no updates.
    case sequenceCheck = "sequence-check"
    /// Replicas do not wait for their filters to be active: each barrier is answered at once.
    case barrier
    /// Replaces do not drop what is older: they arrive as merges.
    case floor
    /// A restart goes unnoticed: everything of an origin arrives with the first incarnation that was heard of.
    case incarnationCheck = "incarnation-check"
    /// Batches are applied again: each arrives with an incarnation that is not tracked when it was there before.
    case dedupe
    /// Deletes leave nothing behind: snapshots tell of no deleted models.
    case tombstones
    /// A liar's claims about an origin count as the origin's own: the liar says hello under the name of an honest one.
    case ownWord = "own-word"
    /// Every key is granted everything, so a liar may write in the name of others.
    case grants
    /// Nobody looks at signatures, so what a liar hands on as a relay may be made up.
    case signatures
    /// Whatever is fetched counts as whole: each answer comes with heads that reach as far as whoever asks.
    case reach
    /// What comes while a model is being fetched is passed over, as of any other that has left: such updates arrive
    /// with an operation that nobody knows.
    case arrivals
    /// Leases do not end: relays tell of each publisher that leases models as one that was heard of just now.
    case leaseEnd = "lease-end"
    /// Silence counts also where nobody would have known of the publisher: relays tell of each that leases models as
    /// one that was not heard of for an hour.
    case silence
}

extension Simulation {
    /// A stream's frame, changed so that the replica takes it as one without the protection would.
    func tampered(stream payload: [UInt8], _ batch: BatchFacts?, topic: [UInt8], _ node: SimulatedNode) -> [UInt8] {
        var payload = payload
        if !settings.hasDigests, batch == nil { payload = FrameSurgery.mapHeads(payload) { $0.withoutDigests } }
        switch settings.sabotage {
        case .floor:
            guard batch != nil else { return payload }
            return FrameSurgery.replacesAsMerges(payload)
        case .dedupe:
            guard let batch, node.hasHeard(batch, topic: topic) else { return payload }
            return FrameSurgery.withIncarnation(batch.incarnation - 1, payload)
        case .incarnationCheck:
            if let batch {
                return FrameSurgery.withIncarnation(node.firstIncarnation(batch.origin, batch.incarnation), payload)
            }
            return FrameSurgery.mapHeads(payload) { node.frozen($0) }
        case .arrivals:
            guard batch != nil, let cache = node.cache else { return payload }
            let fetched = node.fetches.values.joined().filter { cache.presence(of: $0.type, $0.id) == .evicted }
            return FrameSurgery.withoutUpdates(of: Set(fetched.map(\.id)), payload)
        case .leaseEnd: return FrameSurgery.mapHeads(payload) { $0.withRelayedSilence(milliseconds: 0) }
        case .silence: return FrameSurgery.mapHeads(payload) { $0.withRelayedSilence(milliseconds: 3_600_000) }
        case .sequenceCheck, .barrier, .tombstones, .ownWord, .grants, .signatures, .reach, nil:
            return payload
        }
    }

    /// A reply, changed so that the replica takes it as one without the protection would.
    func tampered(reply payload: [UInt8], _ node: SimulatedNode) -> [UInt8] {
        guard [.tombstones, .incarnationCheck, .reach, .arrivals].contains(settings.sabotage),
            let reply = try? ControlReply(decoding: payload.span, limits: .default)
        else { return payload }
        switch (reply, settings.sabotage) {
        case (.records(let rid, let type, let records), .tombstones):
            return ControlReply.records(rid: rid, type: type, records: records.filter(\.exists)).encode()
        case (.complete(let rid, let heads), .incarnationCheck):
            return ControlReply.complete(rid: rid, heads: heads.map { node.frozen($0) }).encode()
        case (.complete(let rid, let heads), .reach) where node.fetches.removeValue(forKey: rid) != nil:
            return ControlReply.complete(rid: rid, heads: heads + reach(of: node)).encode()
        case (.complete(let rid, _), .arrivals):
            node.fetches[rid] = nil
            return payload
        default: return payload
        }
    }

    /// Heads that reach as far as the node has come.
    private func reach(of node: SimulatedNode) -> [Heads] {
        (node.replica?.streamStatus(now: moment(node)) ?? []).map { stream in
            Heads(
                origin: stream.origin, incarnation: stream.incarnation, stamp: 0,
                heads: [TopicHead(topic: stream.topic, sequence: max(stream.head, stream.applied))], isRelayed: true)
        }
    }

    /// Answers a barrier before any filter is active.
    func pretendBarrier(_ index: Int, _ prefix: [UInt8]) {
        let heads = Heads(
            origin: nodes[links[index].server].name, incarnation: 0, stamp: 0, heads: [], isRelayed: true)
        events.add(
            .message(
                link: index, epoch: links[index].streamEpoch, .stream(topic: prefix, payload: heads.encode())),
            at: time)
    }
}

extension Heads {
    /// The heads where a relay has not heard of a publisher that leases models for so long, and would have.
    func withRelayedSilence(milliseconds: UInt64) -> Heads {
        guard isRelayed, leasesSince != nil else { return self }
        var copy = self
        (copy.quietMilliseconds, copy.leaseDistance) = (milliseconds, leaseDistance ?? 0)
        return copy
    }

    var withoutDigests: Heads {
        var copy = self
        for index in copy.heads.indices { copy.heads[index].digest = nil }
        return copy
    }
}

extension SimulatedNode {
    /// The incarnation under which this node heard of an origin first.
    func firstIncarnation(_ origin: String, _ incarnation: UInt64) -> UInt64 {
        if let first = incarnations[origin] { return first }
        incarnations[origin] = incarnation
        return incarnation
    }

    func frozen(_ heads: Heads) -> Heads {
        var copy = heads
        copy.incarnation = firstIncarnation(heads.origin, heads.incarnation)
        return copy
    }

    /// True when the batch came before. The batch is noted.
    func hasHeard(_ batch: BatchFacts, topic: [UInt8]) -> Bool {
        !heard.insert("\(batch.origin) \(batch.incarnation) \(topic) \(batch.sequence)").inserted
    }
}
