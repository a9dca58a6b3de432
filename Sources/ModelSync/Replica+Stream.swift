import ModelCache
import ModelRecord
import ModelWire

extension Replica {
    /// Takes one message of a sender's stream: the topic frame and the payload frame. Any bytes are acceptable.
    public func receiveStream(
        _ sender: SenderID, topic topicBytes: Span<UInt8>, payload: Span<UInt8>, now: Moment
    ) {
        do throws(WireError) {
            if topicBytes.count > 0, topicBytes[0] == 0x6D {
                return try receiveBatch(sender, topic: topicBytes, payload: payload, now: now)
            }
            switch try StreamFrame(decoding: payload, limits: configuration.limits) {
            case .heads(let heads):
                let isBarrier = topicBytes.count > 0 && topicBytes[0] == 0xFF
                receiveHeads(sender, heads, now: now)
                if isBarrier, topicBytes.isEqual(to: sessions[sender.index].barrier) {
                    barrierPassed(sender, now: now)
                }
            case .bye(let bye): receiveBye(sender, bye, now: now)
            case .batch, .unknown: counters[.unknownKinds] += 1
            }
        } catch {
            dropMalformed(sender, error)
        }
    }

    /// The runtime has dropped a message whose frames cannot be ours.
    public func countMalformed(_ sender: SenderID, _ reason: String) {
        dropMalformed(sender, WireError(.malformed, reason))
    }

    func dropMalformed(_ sender: SenderID, _ error: WireError) {
        counters[.malformedFrames] += 1
        sessions[sender.index].lastError = error.description
        notice(.malformed, ["sender": label(sender), "reason": error.description])
    }

    /// The topic of these bytes, remembered from message to message.
    private func topic(_ bytes: Span<UInt8>) throws(WireError) -> Topic {
        let key = bytes.copied
        if let topic = topics[key] { return topic }
        let topic = Topic(bytes: key)
        guard topic.type != nil else {
            throw WireError(.malformed, "\(key.count) bytes are not the name of a data topic")
        }
        if topics.count >= Replica.topicCountMax { topics.removeAll() }
        topics[key] = topic
        return topic
    }

    /// How many topic names are remembered.
    static let topicCountMax = 65_536

    private func receiveBatch(
        _ sender: SenderID, topic bytes: Span<UInt8>, payload: Span<UInt8>, now: Moment
    ) throws(WireError) {
        let topic = try topic(bytes)
        guard let type = topic.type else { throw WireError(.malformed, "the topic \(topic) has no type") }
        guard isWanted(topic) else { return }
        try decoder.decode(payload)
        let key = StreamKey(origin: decoder.origin, topic: topic)
        counters[.unknownKinds] += UInt64(decoder.unknownOperations)
        counters[.refusedUpdates] += UInt64(decoder.refused.count)
        sessions[sender.index].origins.insert(decoder.origin)
        let isCurrent = meet(key, incarnation: decoder.incarnation, sender: sender, now: now)
        if isCurrent {
            guard case .new? = streams[key]?.tracker.arrive(decoder.sequence) else {
                counters[.duplicateBatches] += 1
                return
            }
            watchForHole(key, finding: .batchBeyondNext, now: now)
        }
        guard !isTooFarAhead(decoder.lastStamp, now: now) else {
            counters[.clockRejectedBatches] += 1
            if isCurrent { reject(key, sequence: decoder.sequence, now: now) }
            return notice(
                .clockRejected, ["sender": label(sender), "origin": key.origin, "sequence": "\(decoder.sequence)"])
        }
        streams[key]?.lastBatchLagMilliseconds = now.wallMilliseconds.subtractingOrZero(decoder.stamp >> 16)
        originsByType[type, default: []].insert(key.origin)
        let wanted = decoder.group.filter(isWanted)
        if isCurrent, wanted.count > 1 {
            hold(GroupAssembler.Part(topic: topic, payload: payload.copied), wanted: wanted, now: now)
        } else {
            let cache = cache
            let summary = cache.commit(decoder.batch(in: payload), type: type)
            count(summary, batches: 1)
        }
    }

    /// What was rejected is asked for again, as a snapshot, once the clocks may have come together.
    private func reject(_ key: StreamKey, sequence: UInt64, now: Moment) {
        guard var stream = streams[key] else { return }
        stream.rejected = min(sequence, stream.rejected ?? sequence)
        stream.nextDigestRepair = now.uptimeMicroseconds + Replica.clockPauseMicroseconds
        streams[key] = stream
    }

    /// How long a stream of rejected batches is left alone before its topic is asked for again.
    static let clockPauseMicroseconds: UInt64 = 5_000_000

    func isTooFarAhead(_ stamp: Stamp, now: Moment) -> Bool {
        HybridClock.isTooFarAhead(
            stamp, nowMilliseconds: now.wallMilliseconds,
            maxLeadMilliseconds: configuration.clockLeadMax.wholeMicroseconds / 1000)
    }

    func count(_ summary: CommitSummary, batches: UInt64) {
        counters[.appliedBatches] += batches
        counters[.appliedUpdates] += UInt64(summary.changed)
        counters[.unchangedUpdates] += UInt64(summary.unchanged)
        counters[.conflictingCells] += UInt64(summary.conflictingCells)
    }

    private func hold(_ part: GroupAssembler.Part, wanted: [Topic], now: Moment) {
        let parts = groups.add(
            part, origin: decoder.origin, stamp: decoder.stamp, wanted: wanted,
            deadline: now.uptimeMicroseconds + 1_000_000)
        if let parts { apply([parts]) }
    }

    /// Commits each group in one step.
    func apply(_ groups: [[GroupAssembler.Part]]) {
        for parts in groups {
            let (_, summary) = cache.commit { commit in
                for part in parts {
                    // It was decoded once already, when it came.
                    guard let type = part.topic.type, (try? groupDecoder.decode(part.payload.span)) != nil
                    else { continue }
                    commit.apply(groupDecoder.batch(in: part.payload.span), type: type)
                }
            }
            count(summary, batches: UInt64(parts.count))
        }
    }

    /// Sees to it that the stream is known, and that a newer incarnation takes the place of an older one.
    /// - Returns: false when `incarnation` is older than the one that is followed.
    func meet(_ key: StreamKey, incarnation: UInt64, sender: SenderID, now: Moment) -> Bool {
        guard var stream = streams[key] else {
            streams[key] = StreamState(incarnation: incarnation, sender: sender, now: now.uptimeMicroseconds)
            return true
        }
        stream.sender = sender
        if incarnation == stream.incarnation {
            streams[key] = stream
            return true
        }
        guard incarnation > stream.incarnation else {
            counters[.olderIncarnationBatches] += 1
            stream.olderBatchCount += 1
            if stream.olderBatchCount == Replica.conflictBatchCount {
                counters[.incarnationConflicts] += 1
                notice(.incarnationConflict, ["origin": key.origin, "advice": "give each publisher its own name"])
            }
            streams[key] = stream
            return false
        }
        counters[.newIncarnations] += 1
        notice(.newIncarnation, ["origin": key.origin, "topic": key.topic.description])
        stream.incarnation = incarnation
        stream.holdsOlderIncarnation = true
        stream.rejected = nil
        stream.tracker = SequenceTracker()
        stream.olderBatchCount = 0
        stream.holeSince = nil
        stream.repair = nil
        streams[key] = stream
        // What the origin had before is not in its new batches. While the sender's snapshot is under way that brings
        // it.
        if sessions[sender.index].isSynced { startRepair(key, finding: .newIncarnation, now: now) }
        return true
    }

    /// So many batches of an older incarnation after a newer one are not stragglers: both processes run.
    static let conflictBatchCount = 16
}

extension Span<UInt8> {
    /// The bytes as an array.
    var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

    func isEqual(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

extension UInt64 {
    func subtractingOrZero(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
