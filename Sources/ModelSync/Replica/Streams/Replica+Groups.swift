@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// Transactions over several topics become visible in one step.
extension Replica {
    /// Holds the batch that the decoder holds until its transaction is whole.
    /// - Parameter isForwarded: it was handed on; else it is when it turns out to be news.
    func hold(
        _ payload: Span<UInt8>, of stream: StreamState, wanted: [Topic], isForwarded: Bool, now: Moment
    ) {
        origins.noteTransaction(of: stream.key.origin)
        let part = GroupAssembler.Part(
            topic: stream.key.topic, sequence: decoder.sequence, payload: payload.copied,
            isForwarded: isForwarded)
        let parts = groups.add(
            part, origin: decoder.origin, incarnation: decoder.incarnation, stamp: decoder.stamp, wanted: wanted,
            now: now.uptimeMicroseconds,
            // Time to ask for the rest before nothing is held any longer.
            patience: min(Replica.groupPatienceMicroseconds, heldMicrosecondsMax / 2))
        guard let parts else { return }
        join([], and: [parts], now: now)
        for part in parts { if let type = part.topic.type { passAudit(of: type, now: now) } }
    }

    /// How long the parts of a transaction are waited for when nothing says that one is missing: at least as long as
    /// the heartbeats take that would say so.
    static let groupPatienceMicroseconds: UInt64 = 2_000_000

    /// Merges the parts of a transaction.
    /// - Returns: whether they changed anything.
    @discardableResult
    func apply(_ parts: [GroupAssembler.Part], to commit: inout Commit) -> Bool {
        let unchangedBefore = commit.unchangedCount
        var updateCount = 0
        for part in parts {
            // It was decoded once already, when it came.
            guard let type = part.topic.type, (try? groupDecoder.decode(part.payload.span)) != nil else { continue }
            let batch = groupDecoder.batch(in: part.payload.span)
            updateCount += batch.count
            commit.apply(batch, type: type)
        }
        return commit.unchangedCount - unchangedBefore < updateCount
    }

    /// Lets go of transactions of which nothing more can be waited for.
    func driveGroups(now: Moment) {
        guard !groups.isEmpty else { return }
        // Every tenth heartbeat tells all heads.
        let heartbeat = sessions.lazy.filter(\.isSynced).map(\.heartbeatMicroseconds).max() ?? 0
        let expired = groups.expired(
            now: now.uptimeMicroseconds, patience: max(Replica.groupPatienceMicroseconds, heartbeat * 12),
            rest: { rest(of: $0, now: now) })
        var incomplete = 0
        for (parts, isWhole) in expired {
            let changed = join([], and: [parts], now: now)
            if changed > 0, !isWhole { incomplete += 1 }
        }
        noteIncomplete(incomplete)
    }

    /// A later start of a job closes the earlier one: nobody pushes the rest of its transactions. They become visible
    /// before anybody is told of the later start, so that whoever takes a copy because of it has all that is here.
    func closeGroups(of origin: String, before incarnation: UInt64, now: Moment) {
        guard configuration.forwardsBatches, !groups.isEmpty, isOnlyPushed(origin) else { return }
        let closed = groups.close(origin, before: incarnation)
        noteIncomplete(closed.count { join([], and: [$0], now: now) > 0 })
    }

    /// The same for all origins: some start may have been restored before what it closes.
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

    /// Hands on what was held back because nothing showed that it was news: batches of older incarnations, which are
    /// not tracked, would go round in a loop of relays without end.
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

    /// No sender has heard of the origin for so long that nothing of it need be waited for, and it is no sender itself.
    /// It may have been a job, whose relay has died before it could say so.
    private func isGone(_ origin: String, now: UInt64) -> Bool {
        guard !hears(origin), sessions.contains(where: \.isSynced) else { return false }
        return sessions.allSatisfy { session in
            guard session.isSynced, let silence = silence(of: origin, at: session.id, now: now) else { return true }
            return silence >= Replica.takeoverMicrosecondsMax
        }
    }

    /// How long parts are held that nothing need follow. What they delete must show before others forget it.
    private var heldMicrosecondsMax: UInt64 {
        min(Replica.takeoverMicrosecondsMax, configuration.tombstoneRetention.wholeMicroseconds / 4)
    }

    /// What is awaited has a hole, or what is here has not been told by the heads of any sender that could tell of
    /// holes: by a publisher because its heartbeat is not here yet, by a relay because it waits itself.
    /// Of parts that were pushed here no sender need tell: their pusher brings the others, or has died.
    private func rest(of held: GroupAssembler.Held, now: Moment) -> GroupAssembler.Rest {
        let isLong = now.uptimeMicroseconds >= held.since + heldMicrosecondsMax
        // What of a job is missing may be missing for good.
        if isLong, origins[held.origin].isPushed || isGone(held.origin, now: now.uptimeMicroseconds) {
            return .givenUp
        }
        for topic in held.awaited {
            if streams[StreamKey(origin: held.origin, topic: topic)]?.isMending ?? false { return .awaited }
        }
        let isUntold = held.parts.contains { part in
            guard let stream = streams[StreamKey(origin: held.origin, topic: part.topic)] else { return false }
            if stream.isPushed { return true }
            guard !stream.tellers.isEmpty else { return false }
            // Of an older incarnation the snapshot of a sender may tell, and nothing else.
            guard stream.incarnation == held.incarnation else {
                return stream.takeoverSince != nil || !hasSyncedTeller(stream)
            }
            return !stream.tellers.contains { teller in
                sessions[teller.sender.index].isSynced && teller.incarnation == held.incarnation
                    && teller.head.map { $0 >= part.sequence } ?? false
            }
        }
        if isUntold { return .awaited }
        // From the first word of it on, which may come late.
        let isInVain = held.askedSince.map { now.uptimeMicroseconds >= $0 + heldMicrosecondsMax } ?? false
        return !isInVain && isFetched(held, now: now) ? .asked : .givenUp
    }

    /// A sender tells a part that is here, so it has committed the transaction, and its copy has the rest: that is
    /// asked for. Those of its heads that tell of the rest were lost, or, at a relay, something earlier on that topic
    /// is missing.
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
