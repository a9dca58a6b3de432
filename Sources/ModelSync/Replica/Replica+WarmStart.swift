@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

extension Replica {
    /// Tells the replica that the cache holds the state of an earlier run up to these positions. Call it before any
    /// sender is connected.
    ///
    /// A sender that goes on with one of these streams is not asked for a snapshot of everything: replays bring what
    /// came since, and only topics that it cannot replay are taken whole. What no sequence shows is found by digests.
    public func restore(_ positions: [StreamPosition], now: Moment) {
        for position in positions where isWanted(position.topic) && isStored(position.topic) {
            if position.hasTransactions { origins.noteTransaction(of: position.origin) }
            let key = StreamKey(origin: position.origin, topic: position.topic)
            let stream = meet(
                key, incarnation: position.incarnation, sender: nil, isPushed: position.isPushed, isClaim: true,
                now: now)
            guard let stream, stream.incarnation == position.incarnation else { continue }
            cover(stream, through: position.applied, word: .heard, of: nil, now: now)
            // A pushed stream has a proven start, since the origin itself has pushed it: its earlier starts are closed.
            if position.isPushed { proveStart(of: stream) }
            // A position of 0 says that the start was met, not that its beginning is here.
            stream.beginning.isRestored = position.applied > 0
            // Stored batches of the stream may follow, so it must not be forgotten before.
            stream.lastArrival = now.uptimeMicroseconds
            // The state may hold batches from beyond a hole, or from after the position was stored.
            stream.holdsUntold = true
            // The store does not tell whether this is the first start of the origin, so it counts as a later one.
            audits.noteUncopied(stream.type, at: now.uptimeMicroseconds)
            origins[position.origin].mayHaveFormer = true
            leases.watch(position.origin)
            stream.isPushed = position.isPushed
            if position.isPushed {
                origins[position.origin].isPushedHere = true
                notePushed(position.origin)
            }
        }
        noteRestoredStamps(of: Set(positions.map(\.origin)))
    }

    /// Takes note of the last stamps that the restored state has of these origins. One that is told of them begins its
    /// next start above them, also where no batch of it comes before.
    private func noteRestoredStamps(of origins: Set<String>) {
        guard !origins.isEmpty else { return }
        let snapshot = cache.snapshot()
        var last: [String: Stamp] = [:]
        for type in snapshot.types {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                if let version = record.lastVersion {
                    last[version.origin] = max(last[version.origin] ?? 0, version.stamp)
                }
                return true
            }
        }
        for (origin, stamp) in last where origins.contains(origin) {
            self.origins[origin].latestStamp = max(self.origins[origin].latestStamp, stamp)
        }
    }

    /// A store has the models of the topic. Those of a type that may be evicted are taken from the senders at each
    /// start: what was passed over since a model was evicted, no store tells.
    private func isStored(_ topic: Topic) -> Bool {
        guard isLimited, let type = topic.type else { return true }
        return !cache.mayEvict(type)
    }

    /// How far each stream has been applied: what a store keeps for ``restore(_:now:)``.
    ///
    /// At the moment of the call the cache holds everything up to these positions, and all that earlier starts have
    /// sent. A stream is left out where a position would promise too much; what was stored of it before stays true:
    /// - its beginning is still on its way in a snapshot;
    /// - a part of a transaction of its earlier start waits;
    /// - one of several senders claims to hold it, for less than fifteen seconds or after it was contradicted;
    /// - only others than the origin tell its start, and nothing of that start was applied or the origin pushes here;
    /// - they alone have told the start before as well.
    public var positions: [StreamPosition] {
        streams.entries.compactMap { key, stream in
            guard isStored(key.topic) else { return nil }
            // A store lets go of the batches of an earlier start once it is told of the later one.
            guard hasBeginning(stream), !groups.holdsEarlier(key, than: stream.incarnation) else { return nil }
            guard isStorable(stream) else { return nil }
            let hasTransactions = origins[key.origin].hasTransactions
            // A later start that only others tell is not stored: they tell it again after a restart. The one before it
            // may have been told by others alone, too.
            if isMerelyClaimed(startOf: stream), let former = stream.claimedStart?.former {
                guard former.incarnation <= origins[key.origin].provenStart else { return nil }
                return StreamPosition(
                    origin: key.origin, topic: key.topic, incarnation: former.incarnation,
                    applied: former.tracker.applied, isPushed: stream.isPushed, hasTransactions: hasTransactions)
            }
            let applied = committed(key, stream)
            // The position of a start that others claim would close the start that an origin pushes here.
            if isMerelyClaimed(startOf: stream), applied == 0 || origins[key.origin].isPushedHere { return nil }
            return StreamPosition(
                origin: key.origin, topic: key.topic, incarnation: stream.incarnation, applied: applied,
                isPushed: stream.isPushed, hasTransactions: hasTransactions)
        }
    }

    /// Nothing that the origin had before its first batch is missing.
    private func hasBeginning(_ stream: StreamState) -> Bool {
        if stream.beginning.isAwaited { return false }
        if let repair = stream.repair, !repair.finding.isMissingSequences { return false }
        return stream.tellers.isEmpty || stream.beginning.isRestored || stream.isPushed || hasSyncedTeller(stream)
    }

    /// When the state in the cache was last in contact with all of its senders, in milliseconds of the wall clock: what
    /// a store keeps for the next start. A sender that was not heard of in this run counts with the last contact before
    /// it, and not at all where there was none; nil where none counts.
    public func lastContact(now: Moment) -> UInt64? {
        guard !sessions.isEmpty else { return now.wallMilliseconds }
        return sessions.compactMap { $0.lastContact ?? clockGuard.lastAlive }.min()
    }

    /// The fate of a batch of an earlier run.
    enum Restoration {
        /// The bytes are no batch of a topic that is replicated here, or there is no room for its stream.
        case refused
        /// The restored state holds what the batch wrote.
        case held
        /// The batch was merged, or waits for the rest of its transaction.
        case merged
    }

    /// Merges a batch that was acknowledged in an earlier run, unless the restored positions hold it. Call it after
    /// ``restore(_:now:)``, in the order in which the batches were stored.
    ///
    /// The batch may lie beyond a hole: what is missing was never acknowledged, so it will be pushed again. A batch of
    /// a start that was closed before a position of the next was stored counts as held: the restored state has all of
    /// that start.
    func restore(batch payload: Span<UInt8>, on topic: Topic, now: Moment) -> Restoration {
        guard isWanted(topic), topic.type != nil, (try? decoder.decode(payload)) != nil else { return .refused }
        let key = StreamKey(origin: decoder.origin, topic: topic)
        if let stream = streams[key], stream.incarnation > decoder.incarnation {
            // A start that only others tell closes no earlier one. An expired batch counts as held all the same: what
            // it writes may have been deleted since, and the delete forgotten.
            let isClosed = isFromPosition(stream) && !isMerelyClaimed(startOf: stream)
            guard !isClosed, !clockGuard.isExpired(decoder.lastStamp, now: now) else { return .held }
        }
        guard let stream = meetPushed(key, now: now) else { return .refused }
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
        stream.beginning.isRestored || (stream.tracker.applied == 0 && !stream.tracker.hasHole)
    }

    /// The sender goes on with streams that were restored, near enough to be replayed.
    func isWarm(_ sender: SenderID) -> Bool {
        guard renewal == nil, !sessions[sender.index].handShake.wasLive else { return false }
        return streams.values.contains { stream in
            guard stream.beginning.isRestored, let head = stream.head(toldBy: sender) else { return false }
            return head <= stream.tracker.applied
                || head - stream.tracker.applied <= UInt64(configuration.replayMax)
        }
    }

    /// Makes the sender live without a snapshot: everything that is missing is a hole in some stream.
    func becomeWarm(_ sender: SenderID, now: Moment) {
        sessions[sender.index].copyAskedAt = nil
        sessions[sender.index].holdsUncovered = false
        becomeLive(sender, copy: nil, now: now)
        for stream in streams.inOrder() where stream.tellers.contains(where: { $0.sender == sender }) {
            takeWholeIfUnknown(stream, sender, now: now)
        }
    }

    /// Takes the topic from the sender's copy, unless the stream is restored: what it held before its first known batch
    /// is in no batch.
    func takeWholeIfUnknown(_ stream: StreamState, _ sender: SenderID, now: Moment) {
        guard sessions[sender.index].isWarm, !stream.beginning.isRestored else { return }
        stream.beginning.isRestored = true
        takeOver(stream, from: sender, now: now)
    }
}
