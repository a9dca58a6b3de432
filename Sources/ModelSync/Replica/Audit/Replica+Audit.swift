import ModelCache
import ModelRecord
import ModelWire

/// Digests show that an update was lost, whatever the cause (protocol article, section 7).
extension Replica {
    /// Compares the digests that the sender has told with this copy, wherever both must be equal. Called with each
    /// heartbeat, also for topics that the heads leave out: nothing has changed there, so the last digest still holds.
    func audit(_ sender: SenderID, now: Moment) {
        audits.beginRound(with: sender)
        // Where the types are many, each tick looks at some.
        if !audits.hasManyTypes(toldBy: sender) { goOnAuditing(sender, now: now) }
    }

    /// Goes on with the round of comparisons that the last heads of the sender have begun, as far as one tick has time
    /// for it.
    func goOnAuditing(_ sender: SenderID, now: Moment) {
        guard sessions[sender.index].isSynced, groups.isEmpty, renewal == nil else {
            return audits.endRound(with: sender)
        }
        guard !audits.isResting(sender, now: now.uptimeMicroseconds),
            sessions[sender.index].budget.hasRequest(.snapshot, at: now.uptimeMicroseconds)
        else { return }
        var left = AuditTable.workMax
        var streamCount = 0
        while left > 0, audits.mayBegin(with: sender), let type = audits.nextType(toldBy: sender) {
            let count = streams.of(type: type).count
            streamCount += count
            left -= 256 + count
            audit(type, with: sender, now: now)
        }
        audits.rest(sender, after: streamCount, now: now.uptimeMicroseconds)
    }

    private func audit(_ type: String, with sender: SenderID, now: Moment) {
        guard audits.mayBegin(type, with: sender, now: now.uptimeMicroseconds) else { return }
        // The digests of what is left tell nothing: see ``beginAudit(now:)``.
        if isLimited, cache.hasEvicted(type) { return }
        let told = audits.digests(of: type, toldBy: sender)
        let own = cache.bucketDigests(of: type)
        let comparability = comparability(
            of: type, with: sender, takesLag: mayHoldFormer(type, sender, now: now), now: now
        ) { $0.head(toldBy: sender) }
        var differences: [Audit.Comparability] = []
        var equal = EqualBuckets()
        for (topic, digest) in told {
            guard let buckets = topic.buckets, isCovered(topic), let comparability = comparability[buckets] else {
                continue
            }
            if own[buckets].reduce(0, &+) == digest {
                equal.insert(buckets)
            } else {
                differences.append(comparability)
            }
        }
        if !equal.isEmpty { noteEqual(type, equal, to: sender) }
        if differences.isEmpty {
            audits.clearPause(type, with: sender)
        } else if differences.contains(.equal) || !audits.isJoined(type, toldBy: sender) {
            audits[type] = Audit(
                sender: sender, dueAt: now.uptimeMicroseconds, foundAt: now.uptimeMicroseconds, told: told,
                ownDigest: own.reduce(0, &+))
            askForDigests(of: type, now: now)
        }
    }

    /// This replica takes the whole topic, not only a part of its buckets.
    private func isCovered(_ topic: Topic) -> Bool {
        configuration.prefixes.contains { topic.bytes.starts(with: $0) }
    }

    /// The buckets that this replica takes.
    func coveredBuckets(of type: String) -> [Int] {
        (0..<256).filter { isCovered(.data(type: type, partitions: .twoHundredFiftySix, bucket: $0)) }
    }

    /// The sender, a relay, may hold models of the type that an earlier start of an origin has written and that are not
    /// here. Its heads tell of the later start only, so its copy is taken once. This is so even where its copy lags
    /// behind this one for good: a relay that was away has not got what was pushed to another meanwhile.
    func mayHoldFormer(_ type: String, _ sender: SenderID, now: Moment) -> Bool {
        let session = sessions[sender.index]
        guard session.origins.contains(where: { $0 != session.name }) else { return false }
        return audits.mayHoldFormer(type, sender, copiedAt: session.copyAskedAt ?? 0, now: now.uptimeMicroseconds)
    }

    /// The relation that the digests of each bucket must show. They can be compared where every stream that carries the
    /// bucket stands exactly at the head of the sender. A stream of which nothing was applied stands at 0, told or not.
    /// - Parameter takesLag: a stream that stands beyond the sender's head is no obstacle.
    func comparability(
        of type: String, with sender: SenderID, takesLag: Bool = false, now: Moment, _ head: (StreamState) -> UInt64?
    ) -> BucketComparability {
        comparability(
            streams.of(type: type), with: sender, takesLag: takesLag,
            holdsMore: isReceivingCopy(besides: sender, now: now), now: now
        ) { _, stream in
            (head(stream), stream.tracker.applied)
        }
    }

    /// The copy of another sender is on its way: its records may have come before the batches that made them, so this
    /// copy may hold more than its positions tell. A copy that takes long does not count for ever: a sender may never
    /// end it.
    private func isReceivingCopy(besides sender: SenderID, now: Moment) -> Bool {
        sessions.contains { session in
            session.id != sender && session.isSyncing
                && now.uptimeMicroseconds.subtractingOrZero(session.copyAskedAt ?? 0) < Replica.copyMicroseconds
        }
    }

    /// About as long as a copy is awaited.
    private static let copyMicroseconds: UInt64 = 30_000_000

    /// - Parameters:
    ///   - holdsMore: this copy may have held more than its positions told.
    ///   - stand: the head of the sender for a stream, and how far the stream was applied here at the moment in
    ///     question.
    private func comparability(
        _ streams: [StreamState], with sender: SenderID, takesLag: Bool, holdsMore: Bool, now: Moment,
        _ stand: (Int, StreamState) -> (head: UInt64?, applied: UInt64)
    ) -> BucketComparability {
        var result = BucketComparability()
        for (index, stream) in streams.enumerated() {
            guard let carried = stream.buckets else { continue }
            let (told, applied) = stand(index, stream)
            let head = told ?? 0
            let isLagging =
                head < applied
                && (takesLag || isUntold(stream, at: sender, now: now)
                    || isMerelyClaimed(stream, beyond: head, besides: sender, now: now))
            let isOverstated = head > applied && isOverstated(stream, at: sender, now: now)
            let isLacking = stream.isMending && !isMerelySaid(toLackBeyond: applied, stream, sender, now: now)
            if isLacking && !stream.hasLastingHole || (head != applied && !isLagging && !isOverstated) {
                result.limit(carried, to: nil)
            } else if head != applied || mayBeIncomplete(stream, applied, told: told, by: sender)
                || stream.mayHoldMore(than: sender) || isLacking || holdsMore
            {
                result.limit(carried, to: .atLeast)
            }
        }
        return result
    }

    /// Nothing of the stream was applied and the sender does not tell it, but the copies of others may have brought
    /// some of its records already. The origin itself tells all that it has.
    private func mayBeIncomplete(_ stream: StreamState, _ applied: UInt64, told: UInt64?, by sender: SenderID) -> Bool {
        applied == 0 && told == nil && sessions[sender.index].name != stream.key.origin
    }

    /// The sender tells only as many names as there is room for, and does not tell this one, or not any more. It may
    /// hold all of the stream, or less.
    private func isUntold(_ stream: StreamState, at sender: SenderID, now: Moment) -> Bool {
        guard sessions[sender.index].leavesNamesOut, isQuiet(stream, now: now) else { return false }
        let told = stream.tellers.first { $0.sender == sender && $0.head != nil }
        return told.map {
            now.uptimeMicroseconds.subtractingOrZero($0.toldAt) >= origins.limits.bounds.quietMicroseconds
        }
            ?? true
    }

    /// The sender lags behind claims alone: only others than the origin say that anything beyond its head is here, and
    /// the sender has been heard for long enough to know better. A false claim keeps no copies from being compared.
    private func isMerelyClaimed(
        _ stream: StreamState, beyond head: UInt64, besides sender: SenderID, now: Moment
    ) -> Bool {
        guard let first = stream.claims.first, let last = stream.claims.last, first.former.applied <= head,
            head < last.through, let told = sessions[sender.index].ages[stream.key.origin]
        else { return false }
        return isSettled(sender, since: told.at, now: now)
    }

    /// The stream lacks something by hearsay alone: only others than the origin tell a head beyond `applied`, and the
    /// sender, which should know, tells just `applied`. A head that nobody has sent, told again and again, keeps no
    /// copies from being compared.
    private func isMerelySaid(
        toLackBeyond applied: UInt64, _ stream: StreamState, _ sender: SenderID, now: Moment
    ) -> Bool {
        guard stream.isHeadClaimed, !stream.beginning.isAwaited, stream.tracker.ahead.isEmpty,
            stream.head(toldBy: sender) == applied, let told = sessions[sender.index].ages[stream.key.origin]
        else { return false }
        return isSettled(sender, since: told.at, now: now)
    }

    /// The head that the sender tells is overstated: it has told heads beyond the last known one for longer than their
    /// batches would take to come, and its word moves nothing here. Another has deceived the sender, so its digests are
    /// compared all the same.
    private func isOverstated(_ stream: StreamState, at sender: SenderID, now: Moment) -> Bool {
        let teller = stream.tellers.first { $0.sender == sender && $0.incarnation == stream.incarnation }
        guard !stream.tracker.hasHole, let since = teller?.beyondSince else { return false }
        return now.uptimeMicroseconds >= since + Claim.patienceMicroseconds
    }

    static func head(of stream: StreamState, in heads: [String: Heads]) -> UInt64? {
        guard let told = heads[stream.key.origin], told.incarnation == stream.incarnation else { return nil }
        return told[stream.key.topic]?.sequence
    }

    private func noteEqual(_ type: String, _ buckets: EqualBuckets, to sender: SenderID) {
        let ends = buckets.ends
        for stream in streams.of(type: type) {
            guard let carried = stream.buckets, ends[carried.lowerBound] >= carried.upperBound else { continue }
            stream.noteEqual(true, to: sender)
        }
    }

    func askForDigests(of type: String, now: Moment) {
        guard let sender = audits[type]?.sender else { return }
        let rid = requests.begin(.audit(type), at: sender)
        audits[type]?.rid = rid
        audits[type]?.cuts = []
        audits[type]?.dueAt = now.uptimeMicroseconds + patience(0)
        noteCut(of: type, now: now)
        counters[.digestAudits] += 1
        send(.digest(rid: rid, type: type, bits: 8), to: sender)
    }

    /// Takes the digests of all buckets of a type. They belong to the heads that came with them. Batches that have
    /// overtaken the answer may have led this copy beyond those heads; batches that it has overtaken may still have to
    /// come.
    func receiveDigests(_ sender: SenderID, rid: UInt64, heads: [Heads], digests: [UInt64], now: Moment) {
        guard case .audit(let type)? = requests.purpose(of: rid, at: sender),
            let audit = audits[type], audit.rid == rid, digests.count == 256
        else {
            counters[.unaskedReplies] += 1
            return
        }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        requests.end(rid)
        audits[type]?.rid = nil
        // The digests count batches of streams that were never heard of here. Those are holes, and no difference.
        for told in heads where noteOrigin(told, of: sender, now: now) {
            learn(told, of: sender, isReply: true, now: now)
        }
        let told = Dictionary(heads.map { ($0.origin, $0) }) { first, _ in first }
        let answer = Audit.Answer(
            heads: heads, digests: digests,
            streamHeads: streams.of(type: type).map { Replica.head(of: $0, in: told) })
        guard !isAhead(answer, of: type) else {
            audits[type]?.answer = answer
            audits[type]?.dueAt = now.uptimeMicroseconds + Replica.overtakingMicroseconds
            return
        }
        judge(answer, of: type, now: now)
    }

    /// How long an answer waits for the batches that it is ahead of.
    private static let overtakingMicroseconds: UInt64 = 50_000

    /// The answer tells of batches that are not here.
    private func isAhead(_ answer: Audit.Answer, of type: String) -> Bool {
        zip(answer.streamHeads, streams.of(type: type)).contains { $0 ?? 0 > $1.tracker.applied }
    }

    /// Takes note that a batch of the type was applied.
    func passAudit(of type: String, now: Moment) {
        guard !audits.isEmpty, let audit = audits[type], audit.isAwaitingDigests else { return }
        noteCut(of: type, now: now)
        guard let answer = audit.answer, !isAhead(answer, of: type) else { return }
        judge(answer, of: type, now: now)
    }

    /// Remembers this copy as it is now, unless a transaction waits or a stream of the type is being mended.
    private func noteCut(of type: String, now: Moment) {
        let streams = streams.of(type: type)
        guard groups.isEmpty, let count = audits[type]?.cuts.count, !streams.contains(where: \.isBeingMended) else {
            return
        }
        if count >= Audit.cutCountMax { audits[type]?.cuts.removeFirst() }
        let applied = streams.map(\.tracker.applied)
        let holdsMore = audits[type].map { isReceivingCopy(besides: $0.sender, now: now) } ?? false
        audits[type]?.cuts.append(
            Audit.Cut(applied: applied, digests: cache.bucketDigests(of: type), holdsMore: holdsMore))
    }

    /// How a bucket of this copy compares with the sender's.
    private enum Comparison {
        case equal
        case different(Audit.Comparability)
        /// This copy never stood at the sender's heads.
        case unknown
    }

    /// - Parameter known: what the digests of each cut must show, and last of this moment; filled in as needed.
    private func compare(
        _ bucket: Int, of type: String, with sender: SenderID, takesLag: Bool, _ own: [UInt64],
        _ answer: Audit.Answer, _ known: inout [Int: BucketComparability], now: Moment
    ) -> Comparison {
        let digest = answer.digests[bucket]
        if own[bucket] == digest { return .equal }
        let range = bucket..<(bucket + 1)
        // Streams that were met since the answer came are in neither.
        let streams = streams.of(type: type)
        func told(_ index: Int) -> UInt64? { index < answer.streamHeads.count ? answer.streamHeads[index] : nil }
        let cuts = audits[type]?.cuts ?? []
        for (position, cut) in cuts.enumerated().reversed() {
            let buckets =
                known[position]
                ?? comparability(streams, with: sender, takesLag: takesLag, holdsMore: cut.holdsMore, now: now) {
                    index, _ in
                    (told(index), index < cut.applied.count ? cut.applied[index] : 0)
                }
            known[position] = buckets
            guard let comparability = buckets[range] else { continue }
            return cut.digests[bucket] == digest ? .equal : .different(comparability)
        }
        let buckets =
            known[cuts.count]
            ?? comparability(
                streams, with: sender, takesLag: takesLag, holdsMore: isReceivingCopy(besides: sender, now: now),
                now: now
            ) { (told($0), $1.tracker.applied) }
        known[cuts.count] = buckets
        guard groups.isEmpty, let comparability = buckets[range] else { return .unknown }
        return .different(comparability)
    }

    /// Finds the buckets that differ, and does what the audit decides about them.
    private func judge(_ answer: Audit.Answer, of type: String, now: Moment) {
        guard let audit = audits[type] else { return }
        let own = cache.bucketDigests(of: type)
        let covered = coveredBuckets(of: type)
        let found = differences(of: type, audit, own, answer, covered, now: now)
        audits[type]?.answer = nil
        // The answer may have been compared with an older cut. It takes the place of what was told before only where it
        // equals this copy now.
        let isNow = covered.allSatisfy { own[$0] == answer.digests[$0] }
        switch audit.verdict(on: found) {
        case .equal:
            if isNow { audits.refresh(type, toldBy: audit.sender, with: answer.digests) }
            endAudit(of: type, now: now)
        case .mended:
            if isNow {
                audits.refresh(type, toldBy: audit.sender, with: answer.digests)
            } else {
                // The digests that it told before were compared with the damaged copy.
                audits.forgetDigests(toldBy: audit.sender, type: type)
            }
            endAudit(of: type, by: .buckets, now: now)
        case .missed: missedComparison(of: type, now: now)
        case .different:
            let mustBeEqual = !found.unequal.isEmpty
            confirm(type, found.different.keys.sorted(), mustBeEqual: mustBeEqual, heads: answer.heads, now: now)
        case .irreparable(let buckets): irreparable(type, buckets, now: now)
        }
    }

    private func differences(
        of type: String, _ audit: Audit, _ own: [UInt64], _ answer: Audit.Answer, _ covered: [Int], now: Moment
    ) -> Audit.Found {
        var found = Audit.Found()
        var known: [Int: BucketComparability] = [:]
        let byOrigin = Dictionary(grouping: streams.of(type: type), by: \.key.origin)
        let takesLag = mayHoldFormer(type, audit.sender, now: now)
        for bucket in covered {
            switch compare(bucket, of: type, with: audit.sender, takesLag: takesLag, own, answer, &known, now: now) {
            case .equal: continue
            case .different(.equal) where holdsFormer(type, bucket, byOrigin, than: audit.sender):
                found.different[bucket] = .atLeast
                // The call may have found that a stream had an earlier start, so what is known has to be found anew.
                known = [:]
            case .different(let comparability): found.different[bucket] = comparability
            case .unknown: found.hasUnknown = true
            }
        }
        return found
    }

    /// This copy has something in the bucket that the sender may rightly not have. That is what an earlier start of an
    /// origin wrote, before this replica knew of the start or learnt of it by a snapshot, or what an origin wrote of
    /// which nobody tells heads any more. Looks at some models of the bucket, up to the first that shows it: an answer
    /// may tell of 256 buckets.
    private func holdsFormer(
        _ type: String, _ bucket: Int, _ byOrigin: [String: [StreamState]], than sender: SenderID
    ) -> Bool {
        var isFormer = false
        var count = 0
        cache.snapshot().forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
            guard record.exists else { return true }
            isFormer = record.hasVersion { version in
                let written = (byOrigin[version.origin] ?? []).filter { $0.buckets?.contains(bucket) ?? false }
                let earlier = written.filter { version.stamp < $0.incarnation }
                for stream in earlier { stream.holdsUntold = true }
                return written.isEmpty || earlier.contains { $0.mayHoldMore(than: sender) }
            }
            count += 1
            return !isFormer && count < Replica.formerModelCountMax
        }
        return isFormer
    }

    /// How many models of a bucket are looked at, at most.
    private static let formerModelCountMax = 512

    private func missedComparison(of type: String, now: Moment) {
        guard let audit = audits[type], audit.isConfirmed else { return endAudit(of: type, now: now) }
        audits[type]?.misses += 1
        guard audit.misses < Audit.missCountMax else {
            // The digests that it told before were compared with the damaged copy.
            audits.forgetDigests(toldBy: audit.sender, type: type)
            return endAudit(of: type, by: .buckets, now: now)
        }
        audits[type]?.dueAt = now.uptimeMicroseconds + Replica.overtakingMicroseconds
    }

    /// Forgets the audit of a type.
    /// - Parameter mending: how the difference has ended, if there was one.
    func endAudit(of type: String, by mending: Mending = .superseded, now: Moment) {
        guard let audit = audits[type] else { return }
        if let stream = audit.difference { noteMended(stream, by: mending, foundAt: audit.foundAt, now: now) }
        if let rid = audit.rid { requests.end(rid) }
        audits[type] = nil
    }

    /// Ends the audits with a sender whose contact is lost, and forgets the digests that it told.
    func loseAudits(of sender: SenderID, now: Moment) {
        for type in audits.types where audits[type]?.sender == sender { endAudit(of: type, now: now) }
        audits.forgetDigests(toldBy: sender)
    }

    /// Puts off the next comparison of the type with the sender of this one, each time longer.
    func lengthenPause(of type: String, _ audit: Audit, now: Moment) {
        let longest = configuration.bounded(pause: AuditTable.pauseMax)
        audits.lengthenPause(type, with: audit.sender, atMost: longest, now: now.uptimeMicroseconds)
    }

    /// Gives up requests that were not answered, judges an answer that was ahead for too long, and asks again where
    /// heads had moved.
    func driveAudits(now: Moment) {
        for index in sessions.indices where audits.isRound(with: sessions[index].id) {
            goOnAuditing(sessions[index].id, now: now)
        }
        for type in audits.types {
            guard let audit = audits[type], now.uptimeMicroseconds >= audit.dueAt else { continue }
            if let rid = audit.rid {
                send(.cancel(rid: rid), to: audit.sender)
                // A sender that does not answer is asked ever more rarely.
                lengthenPause(of: type, audit, now: now)
                endAudit(of: type, now: now)
            } else if let answer = audit.answer {
                judge(answer, of: type, now: now)
            } else {
                askForDigests(of: type, now: now)
            }
        }
    }
}
