import ModelWire

extension Replica {
    /// The cache holds the state of an earlier run up to these positions. Call it before any sender is connected.
    ///
    /// A sender that goes on with one of these streams is not asked for a snapshot of everything: replays bring what
    /// came since, and only topics that it cannot replay are taken whole. What no sequence shows is found by digests.
    public func restore(_ positions: [StreamPosition], now: Moment) {
        for position in positions where isWanted(position.topic) {
            let key = StreamKey(origin: position.origin, topic: position.topic)
            let stream = meet(
                key, incarnation: position.incarnation, sender: nil, isPushed: position.isPushed, isClaim: true,
                now: now)
            guard let stream, stream.incarnation == position.incarnation else { continue }
            cover(stream, through: position.applied, word: .heard, of: nil, now: now)
            // Pushed are batches of a start that is known: the earlier ones are closed.
            if position.isPushed { proveStart(of: stream) }
            // Where nothing of a start was applied, it is known that it was met, and that is all.
            stream.isRestored = position.applied > 0
            // Batches that were stored may follow: it is not forgotten before.
            stream.lastArrival = now.uptimeMicroseconds
            // The state may hold what came beyond a hole, or after the position was stored.
            stream.holdsUntold = true
            // Whether it is the first start is not stored.
            audits.noteLaterStart(of: stream.type, at: now.uptimeMicroseconds)
            stream.isPushed = position.isPushed
            if position.isPushed {
                origins[position.origin].isPushedHere = true
                notePushed(position.origin)
            }
        }
    }

    /// How far each stream has been applied: what a store keeps for ``restore(_:now:)``.
    ///
    /// The cache holds everything up to these positions at the moment of the call, and all that earlier starts have
    /// sent. A stream whose beginning is still on its way in a snapshot, or of whose earlier start a part of a
    /// transaction waits, or that one of several senders has claimed to hold for less than fifteen seconds, is left
    /// out: what was stored of it before stays true.
    public var positions: [StreamPosition] {
        streams.entries.compactMap { key, stream in
            // A store lets go of the batches of an earlier start once it is told of the later one.
            guard hasBeginning(stream), !groups.holdsEarlier(key, than: stream.incarnation) else { return nil }
            guard isStorable(stream) else { return nil }
            // A later start that only others tell of is no more than their word: it is heard again after a restart.
            if isMerelyClaimed(startOf: stream), let former = stream.claimedStart?.former {
                return StreamPosition(
                    origin: key.origin, topic: key.topic, incarnation: former.incarnation,
                    applied: former.tracker.applied, isPushed: stream.isPushed)
            }
            let applied = committed(key, stream)
            // The position of a start that others claim would close the start that an origin pushes here.
            if isMerelyClaimed(startOf: stream), applied == 0 || origins[key.origin].isPushedHere { return nil }
            return StreamPosition(
                origin: key.origin, topic: key.topic, incarnation: stream.incarnation, applied: applied,
                isPushed: stream.isPushed)
        }
    }

    /// Nothing that the origin had before its first batch is missing.
    private func hasBeginning(_ stream: StreamState) -> Bool {
        if stream.takeoverSince != nil { return false }
        if let repair = stream.repair, !repair.finding.isMissingSequences { return false }
        return stream.tellers.isEmpty || stream.isRestored || stream.isPushed || hasSyncedTeller(stream)
    }

    /// When the state in the cache was last in contact with all of its senders, in milliseconds of the wall clock: what
    /// a store keeps for the next start. A sender that was never heard of does not count.
    public func lastContact(now: Moment) -> UInt64? {
        guard !sessions.isEmpty else { return now.wallMilliseconds }
        return sessions.compactMap { $0.lastContact ?? lastAlive }.min()
    }

    /// What was done with a batch of an earlier run.
    enum Restoration {
        /// The bytes are no batch of a topic that is replicated here, or there is no room for its stream.
        case refused
        /// The restored state holds what it wrote.
        case held
        /// It was merged, or waits for the rest of its transaction.
        case merged
    }

    /// Merges a batch that was acknowledged in an earlier run, unless the restored positions hold it. Call it after
    /// ``restore(_:now:)``, in the order in which the batches were stored.
    ///
    /// It may lie beyond a hole: one that nobody has acknowledged, which will be pushed again. A start that was closed
    /// before a position of the next was stored is in the restored state as a whole.
    func restore(batch payload: Span<UInt8>, on topic: Topic, now: Moment) -> Restoration {
        guard isWanted(topic), topic.type != nil, (try? decoder.decode(payload)) != nil else { return .refused }
        let key = StreamKey(origin: decoder.origin, topic: topic)
        if let stream = streams[key], stream.incarnation > decoder.incarnation {
            // A start of which only others have told closes none, but what is old may be deleted since, and forgotten.
            let isClosed = isFromPosition(stream) && !isMerelyClaimed(startOf: stream)
            guard !isClosed, !clockGuard.isExpired(decoder.lastStamp, now: now) else { return .held }
        }
        guard let stream = meet(key, incarnation: decoder.incarnation, sender: nil, isPushed: true, now: now)
        else { return .refused }
        let isCurrent = stream.incarnation == decoder.incarnation
        if isCurrent {
            if stream.claimedStart != nil { proveStart(of: stream) }
            stream.isPushed = true
            origins[decoder.origin].isPushedHere = true
            notePushed(decoder.origin)
            if decoder.sequence <= stream.claims.last?.through ?? 0 {
                return restoreClaimed(payload, of: stream, now: now) ? .merged : .held
            }
            guard case .new = stream.tracker.arrive(decoder.sequence) else { return .held }
        }
        merge(payload, of: stream, isCurrent: isCurrent, now: now)
        return .merged
    }

    /// The stream's start is known from a stored position, and not only from a stored batch: where nothing of it is
    /// here, not even beyond a hole, no batch has told of it.
    private func isFromPosition(_ stream: StreamState) -> Bool {
        stream.isRestored || (stream.tracker.applied == 0 && !stream.tracker.hasHole)
    }

    /// The sender goes on with streams that were restored, near enough to be replayed.
    func isWarm(_ sender: SenderID) -> Bool {
        guard renewal == nil, !sessions[sender.index].wasLive else { return false }
        return streams.values.contains { stream in
            guard stream.isRestored, let head = stream.head(toldBy: sender) else { return false }
            return head <= stream.tracker.applied
                || head - stream.tracker.applied <= UInt64(configuration.replayMax)
        }
    }

    /// Without a snapshot: everything else is a hole in some stream.
    func becomeWarm(_ sender: SenderID, now: Moment) {
        sessions[sender.index].copyAskedAt = nil
        becomeLive(sender, hasCopy: false, now: now)
        for stream in streams.inOrder() where stream.tellers.contains(where: { $0.sender == sender }) {
            takeWholeIfUnknown(stream, sender, now: now)
        }
    }

    /// What a stream held before its first known batch is in no batch: it is taken from the sender's copy.
    func takeWholeIfUnknown(_ stream: StreamState, _ sender: SenderID, now: Moment) {
        guard sessions[sender.index].isWarm, !stream.isRestored else { return }
        stream.isRestored = true
        takeOver(stream, from: sender, now: now)
    }
}
