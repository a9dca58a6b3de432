import ModelCache
import ModelRecord
import ModelWire

/// Transactions over several topics become visible in one step.
extension Replica {
    /// Holds the batch that the decoder holds until its transaction is whole.
    /// - Parameter isForwarded: it was handed on; else it is when it turns out to be news.
    func hold(
        _ payload: Span<UInt8>, of stream: StreamState, wanted: [Topic], isForwarded: Bool, now: Moment
    ) {
        groupedOrigins.insert(stream.key.origin)
        let part = GroupAssembler.Part(
            topic: stream.key.topic, sequence: decoder.sequence, payload: payload.copied,
            isForwarded: isForwarded)
        let parts = groups.add(
            part, origin: decoder.origin, incarnation: decoder.incarnation, stamp: decoder.stamp, wanted: wanted,
            now: now.uptimeMicroseconds, patience: Replica.groupPatienceMicroseconds)
        guard let parts else { return }
        join([], and: [parts])
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
            mayCome: { mayCome($0, now: now.uptimeMicroseconds) })
        var incomplete = 0
        for (parts, isWhole) in expired {
            let changed = join([], and: [parts])
            if changed > 0, !isWhole { incomplete += 1 }
        }
        guard incomplete > 0 else { return }
        counters[.incompleteGroups] += UInt64(incomplete)
        notice(.incompleteTransactions, ["count": "\(incomplete)"])
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

    /// What is awaited has a hole, or what is here has not been told by the heads of any sender that could tell of
    /// holes: by a publisher because its heartbeat is not here yet, by a relay because it waits itself.
    /// Of parts that were pushed here no sender need tell: their pusher brings the others, or has died.
    private func mayCome(_ held: GroupAssembler.Held, now: UInt64) -> Bool {
        // What of a job is missing may be missing for good.
        if pushedOrigins.contains(held.origin), now >= held.since + Replica.takeoverMicrosecondsMax { return false }
        for topic in held.awaited {
            if streams[StreamKey(origin: held.origin, topic: topic)]?.isMending ?? false { return true }
        }
        return held.parts.contains { part in
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
    }
}
