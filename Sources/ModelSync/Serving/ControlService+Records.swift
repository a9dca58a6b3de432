import ModelCache
import ModelGrants
import ModelRecord
import ModelWire

extension ControlService {
    /// An owner's knowledge of a stream of which a replay was asked for.
    enum StreamKnowledge: Sendable {
        case unknownOrigin
        case unknownTopic
        /// The last sequence that was sent; nil for an incarnation that is not the greatest.
        case known(head: UInt64?)
    }

    /// Sends frames again, from the first to the last that was asked for, as far as they are held and fit into one
    /// answer. The replica asks on from there. Where not even the first is held, the answer is `gone`.
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
            reply(peer, .gone(rid: rid, oldest: oldest), now: now)
        case .frames(let frames):
            let byteCount = frames.reduce(0) { $0 + $1.count }
            guard spend(\.answerBytes, UInt64(byteCount), of: budget.answerBytes, rid, peer, now: now, &counters)
            else { return }
            counters[.replaysServed] += 1
            counters[.batchesSentAgain] += UInt64(frames.count)
            let replies = frames.map { ControlReply.frame(rid: rid, topic: stream.topic, batch: $0) }
            enqueue(.replies((replies + [.complete(rid: rid, heads: [])])[...]), rid, peer)
        }
    }

    /// The models among these that have left the copy for its limits, as many together as are sure to fit into a frame.
    private func evicted(_ ids: [String], type: String, _ served: Served) -> [[String]] {
        let all =
            if let unsure = served.unsure {
                ids.filter { unsure.contains(ExactText($0)) }
            } else if served.cache.hasEvicted(type) {
                ids.filter { served.cache.presence(of: type, $0) == .evicted }
            } else {
                [] as [String]
            }
        let count = max(configuration.limits.frameByteCount / 1024, 1)
        return stride(from: 0, to: all.count, by: count).map { Array(all[$0..<min($0 + count, all.count)]) }
    }

    /// Sends the records of these ids. A fetch has no credit that would tell how much the peer has taken, so the whole
    /// answer is bounded.
    mutating func fetch(
        _ rid: UInt64, type: String, ids: [String], _ peer: [UInt8], _ served: Served, now: Moment,
        counters: inout Counters
    ) {
        let budget = configuration.budget
        let records = Set(ids.lazy.map(ExactText.init)).sorted().compactMap {
            served.cache.record(type: type, id: $0.text, includingTombstones: true)
        }
        let total = records.reduce(0) { $0 + $1.byteCount }
        // A single record may be larger, as far as the budget of a second goes.
        let totalMax = records.count <= 1 ? Int(clamping: budget.answerBytes.burst) : budget.answerByteCount
        guard total <= totalMax else {
            let message = "\(total) bytes; at most \(totalMax) at once: ask for fewer ids, or for a snapshot"
            return refuse(rid, .limit, message, peer, now: now, &counters)
        }
        guard spend(\.answerBytes, UInt64(total), of: budget.answerBytes, rid, peer, now: now, &counters) else {
            return
        }
        var chunking = RecordChunking(
            byteCountMax: configuration.chunkByteCount, frameByteCount: configuration.limits.frameByteCount)
        var waiting = records[...]
        var replies: [ControlReply] = []
        while let chunk = chunking.fill(from: &waiting) ?? chunking.finish() {
            replies.append(chunk.reply(rid: rid, type: type))
        }
        for model in chunking.takeUnsendable() { note(model, type: type, &counters) }
        replies += evicted(ids, type: type, served).map { .evicted(rid: rid, type: type, ids: $0) }
        replies.append(.complete(rid: rid, heads: served.heads))
        enqueue(.replies(replies[...]), rid, peer)
    }
}
