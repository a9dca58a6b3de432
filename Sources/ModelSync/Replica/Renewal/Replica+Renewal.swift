@_spi(CacheWriting) import ModelCache
@_spi(RecordWriting) import ModelRecord
import ModelWire

/// Starting anew (protocol article, section 2). State is given up in no other way, but for what a relay replaces at the
/// end of an audit.
extension Replica {
    /// The state is being built anew; until the switch-over the cache may hold what was deleted long ago.
    public var isStartingAnew: Bool { renewal != nil }

    /// Builds the state of these prefixes anew, from the snapshots of all senders: beside the old one, which goes on
    /// being read and kept up to date until then.
    ///
    /// The renewal waits for every sender: what only one of them has would be lost without it.
    /// - Parameter witness: the stream whose difference is the reason, and when that was found.
    func startAnew(
        _ prefixes: [Topic], reason: String, witness: (stream: StreamState, foundAt: UInt64)? = nil, now: Moment
    ) {
        var all = (renewal?.prefixes ?? []) + prefixes.filter { !(renewal?.prefixes.contains($0) ?? false) }
        // One request names no more prefixes.
        if all.count > WireLimits.prefixCountMax { all = self.prefixes }
        if let witness { renewal?.witnesses.append(witness) }
        if let renewal, all.count == renewal.prefixes.count { return }
        let witnesses = renewal?.witnesses ?? [witness].compactMap { $0 }
        giveUpRenewal()
        putBackFetches()
        for type in audits.types { endAudit(of: type, now: now) }
        let begun = Renewal(
            prefixes: all, senderCount: sessions.count, besides: cache, firstRID: requests.next,
            now: now.uptimeMicroseconds)
        begun.witnesses = witnesses
        begun.reachAtStart = reach(below: all)
        renewal = begun
        counters[.renewals] += 1
        notice(
            .startingAnew,
            ["reason": reason, "topics": all.map(\.description).joined(separator: " ")])
        driveRenewal(now: now)
    }

    /// How far the streams below these prefixes have come that are not pushed here.
    private func reach(below prefixes: [Topic]) -> [StreamReach] {
        streams.values.filter { stream in
            !stream.isPushed && prefixes.contains { $0.isPrefix(of: stream.key.topic) }
        }.map(StreamReach.init)
    }

    /// Collects everything once more where that has taken half of the retention.
    ///
    /// Models of the first snapshot may have been deleted a little before, and the sender that is awaited may have
    /// forgotten the delete by now, so that the new state would bring them back.
    private func collectOnceMore(now: Moment) {
        guard let old = renewal,
            now.uptimeMicroseconds.subtractingOrZero(old.collectedSince)
                > configuration.tombstoneRetention.wholeMicroseconds / 2
        else { return }
        carryOut(old.endings, of: old)
        let begun = Renewal(
            collecting: old, besides: cache, firstRID: requests.next, now: now.uptimeMicroseconds)
        begun.reachAtStart = reach(below: old.prefixes)
        renewal = begun
    }

    private func giveUpRenewal() {
        if let renewal { carryOut(renewal.endings, of: renewal) }
        renewal = nil
    }

    private func carryOut(_ steps: [Renewal.Step], of renewal: Renewal) {
        for step in steps {
            switch step {
            case .cancel(let sender, let rid): send(.cancel(rid: rid), to: sender)
            case .ask(let sender, let rid):
                askForCopy(renewal.prefixes, rid, of: sender)
            }
        }
    }

    /// Asks the senders that have not been asked, and switches over when all is here.
    func driveRenewal(now: Moment) {
        collectOnceMore(now: now)
        guard let renewal else { return }
        let steps = renewal.next(
            now: now.uptimeMicroseconds, patience: patience(3), isSynced: { sessions[$0.index].isSynced },
            makeRID: { requests.take() })
        carryOut(steps, of: renewal)
        if let heads = renewal.completeHeads, isReached(heads, by: renewal, now: now) {
            switchOver(to: renewal, now: now)
        }
    }

    /// Takes note that the part of one sender is complete.
    func completeRenewal(_ sender: SenderID, heads: [Heads], now: Moment) {
        guard let renewal else { return }
        if renewal.takeRejected(of: sender) {
            // The records that were left out would be lost, so the snapshot is asked for again after a pause, when the
            // clocks may agree.
            return renewal.lose(sender, retryAt: now.uptimeMicroseconds + ClockGuard.pauseMicroseconds)
        }
        // The new copy has to reach the heads that came with the part. Heads that are ignored by now are left out,
        // since their batches may never come.
        for told in heads where noteOrigin(told, of: sender, now: now) {
            learn(told, of: sender, isReply: true, now: now)
        }
        renewal.complete(sender, heads.filter { word(sender, on: $0, now: now) != .ignored })
        driveRenewal(now: now)
    }

    /// Everything up to these heads has reached both copies, and no transaction is here in part.
    ///
    /// A head, or a start, that only others than the origin tell is awaited for as long as an honest sender needs to
    /// send it. What is missing then stays a hole, and is mended like any other.
    private func isReached(_ heads: [Heads], by renewal: Renewal, now: Moment) -> Bool {
        guard groups.isEmpty, sessions.allSatisfy(\.isSynced) else { return false }
        let isLong = now.uptimeMicroseconds >= renewal.startedAt + Renewal.claimPatienceMicroseconds
        return heads.allSatisfy { told in
            told.heads.allSatisfy { head in
                guard let stream = streams[StreamKey(origin: told.origin, topic: head.topic)] else { return true }
                if isLong, stream.isHeadClaimed || stream.claimedStart != nil { return true }
                // A hole beyond the head, which may stay for good, is in no snapshot.
                return stream.incarnation > told.incarnation
                    || (!stream.beginning.isAwaited
                        && stream.tracker.applied >= min(head.sequence, stream.tracker.head))
            }
        }
    }

    /// Makes the live copy equal to the new one, in one step; observers are told the difference.
    private func switchOver(to renewal: Renewal, now: Moment) {
        self.renewal = nil
        if isLazy { fetchHeldAnew(below: renewal.prefixes) }
        mergeUncovered(of: renewal, now: now)
        keepOwn(in: renewal, now: now)
        let young = clockGuard.earliestYoung(now: now)
        cache.renewIDs(from: renewal.cache, young: young) { renewal.covers($0, bucket: $1) }
        let (old, new) = (cache.snapshot(), renewal.cache.snapshot())
        let (_, summary) = cache.commit { commit in
            let types = Set(old.types).union(new.types).filter { type in
                renewal.prefixes.contains { Topic.data(type: type).overlaps($0.bytes) }
            }
            for type in types.sorted() {
                for bucket in 0..<256 where renewal.covers(type, bucket: bucket) {
                    var wanted: [ExactText: CellRecord] = [:]
                    new.forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
                        wanted[ExactText(record.id)] = record
                        return true
                    }
                    old.forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
                        let id = record.id
                        let better = wanted.removeValue(forKey: ExactText(id))
                        // A model that has come back meanwhile was passed over there.
                        if better == nil, renewal.cache.presence(of: type, id) == .evicted { return true }
                        if better != record { commit.overwrite(type: type, id: id, with: better) }
                        return true
                    }
                    for (id, record) in wanted where cache.presence(of: type, id.text) != .evicted {
                        commit.overwrite(type: type, id: id.text, with: record)
                    }
                }
            }
        }
        leases.noteArrivals()
        for stream in streams.values where renewal.prefixes.contains(where: { $0.isPrefix(of: stream.key.topic) }) {
            // An earlier start that was pushed here was kept above, and no sender is known to have it.
            if !stream.isPushed { stream.holdsOlderIncarnation = false }
            stream.account.lastMending = .anew
            stream.account.lastMicroseconds = now.uptimeMicroseconds.subtractingOrZero(renewal.startedAt)
        }
        for (stream, foundAt) in renewal.witnesses { noteMended(stream, by: .anew, foundAt: foundAt, now: now) }
        // The absence of a sender is no hole of any stream.
        if renewal.witnesses.isEmpty { counters[.holesMendedAnew] += 1 }
        // Where the new copy is like the old one, the difference that remains would lead here again and again.
        if summary.changed == 0 {
            for (stream, _) in renewal.witnesses {
                audits.rest(stream.type, until: now.uptimeMicroseconds + Replica.restMicroseconds)
            }
        }
        notice(
            .startedAnew,
            [
                "changed": "\(summary.changed)", "visible": "\(summary.visible)",
                "took_ms": "\(now.uptimeMicroseconds.subtractingOrZero(renewal.startedAt) / 1000)",
            ])
    }

    /// The parts of a transaction that go into the new copy at once; the others are put aside.
    func keepYoung(_ parts: [GroupAssembler.Part], now: Moment) -> [GroupAssembler.Part] {
        parts.filter { part in
            guard (try? groupDecoder.decode(part.payload.span)) != nil else { return false }
            return !putAside(part.payload.span, of: part.topic, groupDecoder, now: now)
        }
    }

    /// Puts a batch aside that is older than deletes are remembered, until the heads of the snapshots are here: what it
    /// wrote may be deleted there, and the delete forgotten.
    /// - Returns: false for a batch that goes into the new copy at once: it is younger, or there is no room.
    func putAside(
        _ payload: Span<UInt8>, of topic: Topic, _ decoder: borrowing BatchDecoder, now: Moment
    ) -> Bool {
        guard let renewal, clockGuard.isExpired(decoder.lastStamp, now: now) else { return false }
        let stream = ReplayRing.Stream(origin: decoder.origin, incarnation: decoder.incarnation, topic: topic)
        return renewal.putAside(
            Renewal.OldBatch(stream: stream, sequence: decoder.sequence, payload: payload.copied))
    }

    /// Merges the batches into the new copy that were put aside and that no snapshot had.
    ///
    /// An old batch of an earlier start is dropped, as it is where it arrives: a transaction may have held it since
    /// before its models were deleted. One that only looked old, to a clock that had leapt ahead, is merged.
    private func mergeUncovered(of renewal: Renewal, now: Moment) {
        let heads = renewal.completeHeads ?? []
        for batch in renewal.oldBatches where !Renewal.isCovered(batch, by: heads) {
            guard let type = batch.stream.topic.type, (try? groupDecoder.decode(batch.payload.span)) != nil else {
                continue
            }
            let key = StreamKey(origin: batch.stream.origin, topic: batch.stream.topic)
            if let stream = streams[key], stream.incarnation > batch.stream.incarnation,
                clockGuard.isExpired(groupDecoder.lastStamp, now: now)
            {
                counters[.expiredBatches] += 1
                // Where that start is followed again, a copy tells what has become of the batch.
                stream.claimedStart?.former?.isAwaited = true
                continue
            }
            renewal.cache.commit(groupDecoder.batch(in: batch.payload.span), type: type)
        }
    }

    /// Takes over into the new copy what the snapshots may lack: all that was pushed here and no sender has to its end,
    /// as it may be nowhere else; and of other streams that may be ahead of the snapshots, and of names that nobody
    /// follows any more, what is young enough for its delete to be remembered. So much is taken over of what was pushed
    /// here and a sender claims to have, too, which may be wrong.
    private func keepOwn(in renewal: Renewal, now: Moment) {
        let young = clockGuard.earliestYoung(now: now)
        var earliest: [String: [String: Stamp]] = [:]
        func keep(_ origin: String, of type: String, since: Stamp) {
            earliest[type, default: [:]][origin] = min(earliest[type]?[origin] ?? since, since)
        }
        for stream in streamsAhead(of: renewal) + doubtedStreams {
            keep(stream.key.origin, of: stream.type, since: young)
        }
        let told = Dictionary(grouping: renewal.completeHeads ?? [], by: \.origin)
        for stream in streams.values where stream.isPushed {
            // No head tells what an earlier start has pushed.
            let isElsewhere =
                !stream.holdsOlderIncarnation && StreamReach(stream).isReached(by: told[stream.key.origin] ?? [])
            keep(stream.key.origin, of: stream.type, since: isElsewhere ? young : 0)
        }
        for key in origins.limits.forgotten.pushed where !follows(key.origin) {
            if let type = key.topic.type { keep(key.origin, of: type, since: 0) }
        }
        let mayHaveForgotten = counters[.forgottenNames] > 0 || clockGuard.lastAlive != nil
        let types = mayHaveForgotten ? cache.types : earliest.keys.sorted()
        for type in types where renewal.prefixes.contains(where: { Topic.data(type: type).overlaps($0.bytes) }) {
            let origins = earliest[type] ?? [:]
            keepParts(of: type, in: renewal) { origin in origins[origin] ?? (follows(origin) ? nil : young) }
        }
    }

    /// The streams that had come further before the renewal began than any snapshot reaches: a relay passes a batch on
    /// at once, while its own copy may wait for other parts of the transaction. Streams that no sender follows any more
    /// are none of them.
    private func streamsAhead(of renewal: Renewal) -> [StreamState] {
        let told = Dictionary(grouping: renewal.completeHeads ?? [], by: \.origin)
        return renewal.reachAtStart.compactMap { reach in
            let heads = told[reach.key.origin] ?? []
            guard let stream = streams[reach.key], stream.incarnation == reach.incarnation,
                heads.contains(where: { $0.incarnation == reach.incarnation }), !reach.isReached(by: heads)
            else { return nil }
            return stream
        }
    }

    /// The streams of which only a sender's word on others says that a snapshot had them, while another sender tells
    /// less: where that word is false, the other sender may be the only one that has the rest, and may still hold it
    /// back.
    private var doubtedStreams: [StreamState] {
        streams.values.filter { stream in
            guard !stream.isPushed, let claim = stream.claims.last else { return false }
            return stream.tellers.contains { teller in
                teller.sender != claim.claimant && sessions[teller.sender.index].isSynced
                    && (stream.head(toldBy: teller.sender) ?? 0) < claim.through
            }
        }
    }

    /// Takes over into the new copy what the origins have written for which `earliest` gives a stamp, since then. Only
    /// their parts are taken: what others have written may be deleted, and the delete forgotten.
    private func keepParts(of type: String, in renewal: Renewal, since earliest: (_ origin: String) -> Stamp?) {
        let old = cache.snapshot()
        var plan = MergePlan()
        renewal.cache.commit { commit in
            old.forEach(type: type, includingTombstones: true) { record in
                for origin in record.origins {
                    guard let since = earliest(origin), let part = record.part(of: origin, since: since, plan: &plan)
                    else { continue }
                    commit.join(part, type: type)
                }
                return true
            }
        }
    }

    /// How long a type is not built anew again when that has changed nothing.
    static let restMicroseconds: UInt64 = 600_000_000

    /// Builds the state anew where the sender was not heard of for longer than deletes are remembered, or for nobody
    /// knows how long: merging its copy with this one would bring back models whose deletes it has forgotten. Parts of
    /// transactions that are held since then would do the same; only what was pushed here is in no copy.
    func startAnewAfterAbsence(_ sender: SenderID, now: Moment) {
        guard let last = sessions[sender.index].lastContact, clockGuard.isForgotten(last, now: now) else { return }
        startAnewAfterAbsence(reason: "\(label(sender)) was away for too long", now: now)
    }

    /// Does the same where this process has stood still for so long, as one that was stopped or whose machine was. What
    /// waited for it meanwhile comes now, as if no time had passed; and what it had of a snapshot that was under way is
    /// as old as that.
    func startAnewAfterStandstill(now: Moment) {
        guard upkeep.hasStoodStill(for: configuration.tombstoneRetention, now: now) else { return }
        dropFormerParts(now: now)
        // An empty copy starts anew, too: models in waiting messages may be deleted by now, and the deletes forgotten.
        startAnew(prefixes, reason: "this process stood still for too long", now: now)
    }

    private func startAnewAfterAbsence(reason: String, now: Moment) {
        dropFormerParts(now: now)
        guard !cache.types.isEmpty else { return }
        startAnew(prefixes, reason: reason, now: now)
    }

    /// Drops the parts of transactions that have waited for longer than deletes are remembered.
    private func dropFormerParts(now: Moment) {
        let retention = configuration.tombstoneRetention.wholeMicroseconds
        let droppedCount = groups.drop(heldSinceBefore: now.uptimeMicroseconds.subtractingOrZero(retention)) { origin in
            origins[origin].isPushedHere
        }
        counters[.expiredBatches] += UInt64(droppedCount)
    }
}
