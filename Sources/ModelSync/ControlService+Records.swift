import ModelCache
import ModelRecord
import ModelWire

extension ControlService {
    /// What an owner knows of a stream that a replay was asked for.
    enum StreamKnowledge: Sendable {
        case unknownOrigin
        case unknownTopic
        /// The last sequence that was sent; nil for an incarnation that is not the greatest.
        case known(head: UInt64?)
    }

    /// Sends frames again, from the first that was asked for to the last, as far as they are held and fit into one
    /// answer; the replica asks on from there. Where not even the first is held: `gone`.
    mutating func replay(
        _ rid: UInt64, _ stream: ReplayRing.Stream, from first: UInt64, through last: UInt64,
        _ knowledge: StreamKnowledge, _ ring: borrowing ReplayRing, to peer: [UInt8], now: Moment,
        counters: inout Counters
    ) {
        let budget = configuration.budget
        var fault: (ControlErrorCode, String)?
        switch knowledge {
        case .unknownOrigin: fault = (.unknownOrigin, "nothing is known here of \(stream.origin)")
        case .unknownTopic: fault = (.unknownTopic, "\(stream.origin) has sent nothing on \(stream.topic)")
        case .known(let head?) where last > head:
            fault = (.malformed, "the last sequence here is \(head), not \(last)")
        case .known: break
        }
        if first == 0 || first > last { fault = (.malformed, "sequences \(first) to \(last) are no range") }
        if fault == nil, last - first >= budget.replayFrameCount {
            fault = (.limit, "\(last - first + 1) batches; at most \(budget.replayFrameCount) at once")
        }
        if let (code, message) = fault { return refuse(rid, code, message, peer, now: now, &counters) }
        switch ring.frames(of: stream, from: first, through: last, byteCountMax: budget.answerByteCount) {
        case .gone(let oldest):
            counters[.replaysGone] += 1
            guard spend(\.questions, of: budget.questions, rid, peer, now: now, &counters) else { return }
            reply(peer, .gone(rid: rid, oldest: oldest))
        case .frames(let frames):
            let byteCount = frames.reduce(0) { $0 + $1.count }
            guard spend(\.answerBytes, UInt64(byteCount), of: budget.answerBytes, rid, peer, now: now, &counters)
            else { return }
            counters[.replaysServed] += 1
            counters[.batchesSentAgain] += UInt64(frames.count)
            for frame in frames { reply(peer, .frame(rid: rid, topic: stream.topic, batch: frame)) }
            reply(peer, .complete(rid: rid, heads: []))
        }
    }

    /// Sends the records of these ids. Nothing bounds how much of that the peer has taken, so the whole is bounded.
    mutating func fetch(
        _ rid: UInt64, type: String, ids: [String], _ peer: [UInt8], _ served: Served, now: Moment,
        counters: inout Counters
    ) {
        let budget = configuration.budget
        let records = Set(ids).sorted().compactMap {
            served.cache.record(type: type, id: $0, includingTombstones: true)
        }
        let total = records.reduce(0) { $0 + $1.byteCount }
        guard records.count <= 1 || total <= budget.answerByteCount else {
            let message = "\(total) bytes; at most \(budget.answerByteCount) at once: ask for fewer ids"
            return refuse(rid, .limit, message, peer, now: now, &counters)
        }
        let cost = UInt64((16 << 10) + total + 64 * ids.count)
        guard spend(\.answerBytes, cost, of: budget.answerBytes, rid, peer, now: now, &counters) else { return }
        var chunk: [Record] = []
        var byteCount = 0
        for record in records {
            if !chunk.isEmpty, byteCount + record.byteCount > configuration.chunkByteCount {
                reply(peer, .records(rid: rid, type: type, records: chunk))
                chunk = []
                byteCount = 0
            }
            chunk.append(record)
            byteCount += record.byteCount
        }
        if !chunk.isEmpty { reply(peer, .records(rid: rid, type: type, records: chunk)) }
        replyFitting(peer, .complete(rid: rid, heads: served.heads), now: now, &counters)
    }
}
