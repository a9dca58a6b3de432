import ModelCache
import ModelRecord
import ModelSigning
import ModelWire

/// Signed heads show whether a copy is what its origin has written, whoever has handed it on. They move nothing: where
/// the copy differs for long, that is told.
extension Replica {
    /// Takes what an origin has signed of its own copy. Any bytes are acceptable.
    /// - Returns: whether a relay is to hand it on: it is the origin's, and came for the first time.
    func receiveSignedHeads(
        _ sender: SenderID, _ told: SignedHeads, topic: Span<UInt8>, payload: Span<UInt8>, now: Moment
    ) -> Bool {
        let key = StreamKey(origin: told.origin, topic: .data(type: told.type))
        // Nothing is remembered of an origin that is not followed.
        guard signatures != nil, isWanted(key.topic), follows(told.origin),
            sessions[sender.index].rights?.allows(key) ?? true
        else { return false }
        guard let keys = signatures?.keys(of: key), !keys.isEmpty,
            signatures?.copies.isLatest(told) ?? false, !clockGuard.isTooFarAhead(told.stamp, now: now),
            sessions[sender.index].budget.takeSignedHeads(at: now.uptimeMicroseconds)
        else { return false }
        guard let verdict = signatures?.verifier.verdict(topic: topic, frame: payload, keys: keys) else { return false }
        guard verdict == .genuine else {
            refuse(verdict, "heads of \(told.type)", told.origin, label(sender), now: now)
            return false
        }
        let isNew = signatures?.copies.noteVerified(told) ?? false
        compare(told, now: now)
        return isNew
    }

    /// Tells of copies that cannot be compared: whoever stands between may withhold something.
    ///
    /// An origin that only pushes signs no copy. That it does is the word of a relay, which may be a lie: so it is told
    /// of such an origin as well, though only once, and is no excuse for one that has signed its copy before.
    func reviewSignedHeads(now: Moment) {
        lookForUntold(now: now)
        guard signatures?.copies.mayReview(at: now.uptimeMicroseconds) ?? false else { return }
        for stream in streams.values where stream.staleSince == nil && stream.tracker.applied > 0 {
            let origin = stream.key.origin
            reviewCopy(of: stream.type, origin, origins[origin].isPushed ? .pushed : .sent, now: now)
        }
    }

    /// Looks into a part of the copy for what bears an origin of which no sender tells, not even that it is there: who
    /// hands on made-up records may leave out all that would show it.
    private func lookForUntold(now: Moment) {
        guard let rules = signatures?.rules, let bucket = signatures?.copies.nextBucket(at: now.uptimeMicroseconds)
        else { return }
        let snapshot = cache.snapshot()
        for type in snapshot.types where rules.requiresSignature(of: type) {
            var (untold, last) = (Set<String>(), "")
            snapshot.forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
                // Most of a copy is of one origin.
                _ = record.hasVersion { version in
                    if version.origin == last { return false }
                    last = version.origin
                    if !follows(last) { untold.insert(last) }
                    return false
                }
                return true
            }
            for origin in untold.sorted() { reviewCopy(of: type, origin, .untold, now: now) }
        }
    }

    private func reviewCopy(of type: String, _ origin: String, _ reason: SignedCopies.Overdue, now: Moment) {
        let whole = StreamKey(origin: origin, topic: .data(type: type))
        guard let keys = signatures?.keys(of: whole), !keys.isEmpty || reason == .untold,
            let overdue = signatures?.copies.overdue(origin, type, reason, at: now.uptimeMicroseconds)
        else { return }
        let advice =
            switch overdue {
            case .sent:
                "each process between has to have the same grants; one that has them may withhold or delay it"
            case .pushed:
                "relays say that \(origin) only pushes: then no process can tell whether they have made up "
                    + "what they answer with their copies; if it does not, one of them lies"
            case .untold:
                "no sender tells of \(origin), of which this copy has models: it may have ended long ago, or whoever "
                    + "has answered with them has made them up"
            }
        errors.note("copy that cannot be compared", of: origin, "nobody tells what \(origin) signs of \(type)")
        notice(.unconfirmedCopy, ["origin": origin, "type": type, "advice": advice])
    }

    /// The parts of the copy that were not as their origin had signed them when they were compared last.
    package var partsNotAsSigned: [String] { signatures?.copies.differing ?? [] }

    /// Compares the buckets of the copy with what the origin has signed, where it stands exactly at these heads.
    private func compare(_ told: SignedHeads, now: Moment) {
        guard signatures?.copies.mayCompare(told, at: now.uptimeMicroseconds) ?? false, stands(at: told) else { return }
        let (snapshot, covered) = (cache.snapshot(), coveredBuckets(of: told.type))
        var (modelCount, olderCount) = (0, 0)
        var (equal, differing): ([Int], [Int]) = ([], [])
        for bucket in covered where told.buckets.contains(bucket) {
            var older = 0
            let hash = snapshot.contentHash(
                of: told.type, bucket: bucket, since: told.since, count: &modelCount, olderCount: &older)
            let isAsSigned = hash.bytes == told.hash(of: bucket)
            // Writes of others are looked for only where they matter.
            let isOthers = (older > 0 || !isAsSigned) && isShared(bucket, of: told, snapshot)
            if isAsSigned || isOthers {
                equal.append(bucket)
            } else {
                differing.append(bucket)
            }
            if !isOthers { olderCount += older }
        }
        tellOlder(olderCount, told)
        let found = signatures?.copies.note(
            told, equal: equal, differing: differing, of: covered.count, modelCount: modelCount,
            at: now.uptimeMicroseconds)
        guard let found, !found.buckets.isEmpty else { return }
        tell(found.buckets.count, of: told, isNews: found.isNews)
    }

    /// Tells once of what the copy holds from before the time since which the origin signs what it holds: no signature
    /// says whether that is its own.
    private func tellOlder(_ count: Int, _ told: SignedHeads) {
        guard count > 0 else { return }
        let reason = "fields of \(told.type) from before the time since which \(told.origin) signs what it holds"
        errors.note("copy older than what is signed", of: told.origin, reason)
        guard signatures?.copies.noteOlder(told) ?? false else { return }
        notice(
            .olderThanSigned,
            [
                "origin": told.origin, "type": told.type, "fields": "\(count) in \(told.buckets.count) of 256 parts",
                "before_ms": "\(told.since >> 16)",
                "advice": "where \(told.origin) has had its store since its first start, a sender has made them up; "
                    + "else let it write them again",
            ])
    }

    private func tell(_ count: Int, of told: SignedHeads, isNews: Bool) {
        counters[.signedDifferences] += UInt64(count)
        let reason = "the copy of \(told.type) is not what \(told.origin) has signed, in \(count) of 256 parts"
        errors.note("copy not as signed", of: told.origin, reason)
        guard isNews else { return }
        notice(
            .notAsSigned,
            [
                "origin": told.origin, "type": told.type, "buckets": "\(count)",
                "advice": "a sender that hands on copies may lie, or models were written before they had to be signed, "
                    + "or while \(told.origin) ran without its store: "
                    + "listen to \(told.origin) itself, and delete the store of this process",
            ])
    }

    /// The copy has all that the origin had sent at these heads, and nothing later.
    ///
    /// Nothing else that senders say keeps the copies from being compared: one that lies could go on saying it.
    private func stands(at told: SignedHeads) -> Bool {
        guard renewal == nil, !isLimited || !cache.hasEvicted(told.type) else { return false }
        let heads = Dictionary(told.heads.map { ($0.topic, $0.sequence) }) { $1 }
        var standing = 0
        for stream in streams.of(type: told.type) where stream.key.origin == told.origin {
            let head = heads[stream.key.topic]
            guard stream.incarnation == told.incarnation, stream.tracker.applied == head ?? 0,
                stream.tracker.ahead.isEmpty, groups.firstHeld(stream.key, of: stream.incarnation) == nil
            else { return false }
            if head != nil { standing += 1 }
        }
        return standing == heads.count
    }

    /// Others may write the bucket too, and have: what they wrote or deleted is not in the copy of this origin.
    private func isShared(_ bucket: Int, of told: SignedHeads, _ snapshot: Snapshot) -> Bool {
        func isOther(_ origin: String) -> Bool {
            origin != told.origin && !(signatures?.rules.keys(of: told.type, as: origin).isEmpty ?? true)
        }
        let streams = streams.of(type: told.type)
        if streams.contains(where: { $0.buckets?.contains(bucket) ?? true && isOther($0.key.origin) }) { return true }
        // Their streams may have been forgotten.
        var isShared = false
        snapshot.forEach(type: told.type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
            isShared = record.floor.map { isOther($0.origin) } ?? false || record.hasVersion { isOther($0.origin) }
            return !isShared
        }
        return isShared
    }
}
