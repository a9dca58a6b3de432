@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// Transactions over several topics become visible in one step.
extension Replica {
    /// Holds the batch that the decoder holds until its transaction is whole.
    /// - Parameter isForwarded: the batch was forwarded; if not, it is forwarded once it turns out to be news.
    func hold(
        _ payload: Span<UInt8>, of stream: StreamState, wanted: [Topic], isForwarded: Bool, now: Moment
    ) {
        origins.noteTransaction(of: stream.key.origin)
        guard let parts = addPart(payload, of: stream, wanted: wanted, isForwarded: isForwarded, now: now) else {
            return
        }
        mergeWhole(parts, now: now)
    }

    /// Merges a transaction that has become whole.
    /// - Returns: the topics of the parts that changed something.
    @discardableResult
    func mergeWhole(_ parts: [GroupAssembler.Part], now: Moment) -> Set<Topic> {
        let news = join([], and: [parts], now: now).topics
        for part in parts { if let type = part.topic.type { passAudit(of: type, now: now) } }
        return news
    }

    /// Adds the batch that the decoder holds to its transaction.
    /// - Returns: all parts, where this was the last.
    func addPart(
        _ payload: Span<UInt8>, of stream: StreamState, wanted: [Topic]? = nil, isForwarded: Bool, now: Moment
    ) -> [GroupAssembler.Part]? {
        groups.add(
            GroupAssembler.Part(
                topic: stream.key.topic, sequence: decoder.sequence, payload: payload.copied,
                isForwarded: isForwarded),
            origin: decoder.origin, incarnation: decoder.incarnation, stamp: decoder.stamp,
            wanted: wanted ?? decoder.group.filter(isWanted), now: now.uptimeMicroseconds,
            // At most half of the time for which parts are held, so that there is time to ask for the rest.
            patience: min(Replica.groupPatienceMicroseconds, heldMicrosecondsMax / 2))
    }

    /// The time for which a transaction waits for its parts while nothing says that one is missing, or longer where
    /// heartbeats are slow: the heads that would say so come with these.
    static let groupPatienceMicroseconds: UInt64 = 2_000_000

    /// Merges the parts of a transaction.
    /// - Returns: the topics of the parts that changed something.
    @discardableResult
    func apply(_ parts: [GroupAssembler.Part], to commit: inout Commit) -> Set<Topic> {
        var news: Set<Topic> = []
        for part in parts {
            let unchangedBefore = commit.unchangedCount
            // The part was decoded when it came, so it can be decoded again.
            guard let type = part.topic.type, (try? groupDecoder.decode(part.payload.span)) != nil else { continue }
            let batch = groupDecoder.batch(in: part.payload.span)
            let count = batch.count
            commit.apply(batch, type: type)
            if commit.unchangedCount - unchangedBefore < count { news.insert(part.topic) }
        }
        return news
    }

    /// Lets go of the transactions whose missing parts are not waited for any longer.
    func driveGroups(now: Moment) {
        guard !groups.isEmpty else { return }
        // Every tenth heartbeat tells all heads.
        let heartbeat = sessions.lazy.filter(\.isSynced).map(\.heartbeatMicroseconds).max() ?? 0
        let expired = groups.expired(
            now: now.uptimeMicroseconds, patience: max(Replica.groupPatienceMicroseconds, heartbeat * 12),
            rest: { rest(of: $0, now: now) }, isMissing: isMending)
        var incomplete = 0
        for (parts, isWhole) in expired {
            let isNews = join([], and: [parts], now: now).changed > 0
            if isNews, !isWhole { incomplete += 1 }
        }
        noteIncomplete(incomplete)
    }

    /// Lets go of the transactions of a job's earlier start, since nobody pushes the rest of them. They become visible
    /// before any peer is told of the later start, so that a copy which is taken because of it has all that is here.
    func closeGroups(of origin: String, before incarnation: UInt64, now: Moment) {
        guard configuration.forwardsBatches, !groups.isEmpty, isOnlyPushed(origin) else { return }
        let closed = groups.close(origin, before: incarnation)
        noteIncomplete(closed.count { join([], and: [$0], now: now).changed > 0 })
    }

    /// Lets go of the transactions of earlier starts of all jobs: a store may have restored a start before the batches
    /// of the one that it closes.
    func closeEarlierGroups(now: Moment) {
        guard !groups.isEmpty else { return }
        var latest: [String: UInt64] = [:]
        for (key, stream) in streams.entries { latest[key.origin] = max(latest[key.origin] ?? 0, stream.incarnation) }
        for (origin, incarnation) in latest.sorted(by: { $0.key < $1.key }) {
            closeGroups(of: origin, before: incarnation, now: now)
        }
    }

    private func noteIncomplete(_ count: Int) {
        guard count > 0 else { return }
        counters[.incompleteGroups] += UInt64(count)
        notice(.incompleteTransactions, ["count": "\(count)"])
    }

    /// Forwards the parts that were held back until they had changed something. Batches of older incarnations are not
    /// tracked, so without that condition they would go round in a loop of relays without end.
    func forwardHeld(_ parts: [GroupAssembler.Part]) {
        guard configuration.forwardsBatches else { return }
        for part in parts where !part.isForwarded {
            guard (try? groupDecoder.decode(part.payload.span)) != nil else { continue }
            actions.append(
                .forward(
                    topic: part.topic, payload: part.payload, origin: groupDecoder.origin,
                    incarnation: groupDecoder.incarnation, sequence: groupDecoder.sequence))
        }
    }

    /// The origin of a transaction is no sender itself, and no sender has heard of it for so long that nothing of it
    /// need be waited for. It may have been a job whose relay died before it could say that the batches are pushed.
    ///
    /// A sender that is away may be the origin, or have all of it, so it is waited for as well; not for good, as its
    /// endpoint may be wrong.
    private func isGone(_ held: GroupAssembler.Held, now: UInt64) -> Bool {
        guard !hears(held.origin), sessions.contains(where: \.isSynced) else { return false }
        return sessions.allSatisfy { session in
            guard session.isSynced else {
                return now >= max(held.since, session.lastHeard) + StreamBeginning.patienceMicroseconds
            }
            guard let silence = silence(of: held.origin, at: session.id, now: now) else { return true }
            return silence >= StreamBeginning.patienceMicroseconds
        }
    }

    /// The time for which parts are held when the rest may never come. What they delete must show before other
    /// processes forget those deletes.
    private var heldMicrosecondsMax: UInt64 {
        min(StreamBeginning.patienceMicroseconds, configuration.tombstoneRetention.wholeMicroseconds / 4)
    }

    /// The state of the missing parts, as far as it is known. They may still come where their stream has a hole, or
    /// where no sender that could tell of holes has told a part that is here: the heartbeat of a publisher is not here
    /// yet, or a relay waits for parts itself. A part that was pushed here need not be told by a sender: its pusher
    /// brings the others, or has died.
    private func rest(of held: GroupAssembler.Held, now: Moment) -> GroupAssembler.Rest {
        let isLong = now.uptimeMicroseconds >= held.since + heldMicrosecondsMax
        // The missing parts of a job may be missing for good.
        if isLong, origins[held.origin].isPushed || isGone(held, now: now.uptimeMicroseconds) {
            return .givenUp
        }
        for topic in held.awaited {
            if isMending(held.origin, topic) { return .awaited }
        }
        let isUntold = held.parts.contains { part in
            guard let stream = streams[StreamKey(origin: held.origin, topic: part.topic)] else { return false }
            if stream.isPushed { return true }
            guard !stream.tellers.isEmpty else { return false }
            // Heads tell nothing of an older incarnation; only the snapshot of a sender does.
            guard stream.incarnation == held.incarnation else {
                return stream.beginning.isAwaited || !hasSyncedTeller(stream)
            }
            return !stream.tellers.contains { teller in
                sessions[teller.sender.index].isSynced && teller.incarnation == held.incarnation
                    && teller.head.map { $0 >= part.sequence } ?? false
            }
        }
        if isUntold { return .awaited }
        // Counted from when the rest was asked for first, which may be late.
        let isInVain = held.askedSince.map { now.uptimeMicroseconds >= $0 + heldMicrosecondsMax } ?? false
        return !isInVain && isFetched(held, now: now) ? .asked : .givenUp
    }

    private func isMending(_ origin: String, _ topic: Topic) -> Bool {
        streams[StreamKey(origin: origin, topic: topic)]?.isMending ?? false
    }

    /// Asks for the rest of a transaction where a sender tells a part that is here: that sender has committed the
    /// transaction, so its copy has the rest. Heads that would show the rest were lost, or a relay misses something
    /// earlier on that topic.
    /// - Returns: false where no sender tells a part.
    private func isFetched(_ held: GroupAssembler.Held, now: Moment) -> Bool {
        for part in held.parts {
            guard let stream = streams[StreamKey(origin: held.origin, topic: part.topic)],
                stream.incarnation == held.incarnation
            else { continue }
            let isTold = stream.tellers.contains { teller in
                sessions[teller.sender.index].isSynced
                    && stream.head(toldBy: teller.sender).map { $0 >= part.sequence } ?? false
            }
            guard isTold else { continue }
            if stream.repair == nil {
                startRepair(stream, finding: .transaction, now: now)
                stream.repair?.transaction = held.stamp
            }
            return true
        }
        return false
    }
}
