import ModelWire

/// The start of another origin that a sender tells is a claim, too, until a batch of it comes or the origin itself
/// tells it (protocol article, section 6).
extension Replica {
    /// Only others than the origin have told the start that the stream follows.
    func isMerelyClaimed(startOf stream: StreamState) -> Bool {
        stream.claimedStart != nil && origins[stream.key.origin].provenStart < stream.incarnation
    }

    /// Notes the start that the stream follows from now on. Where the start is not proven, it is a claim.
    /// - Parameter former: the start that was followed before, remembered as long as this one is only claimed.
    func noteStart(
        of stream: StreamState, _ incarnation: UInt64, by sender: SenderID?, former: FormerStart? = nil, now: Moment
    ) {
        guard origins[stream.key.origin].provenStart < incarnation else {
            stream.claimedStart = nil
            return
        }
        // A claim in place of another is doubted when that would have been: a sender that claims a later start each
        // time would else never be doubted.
        let doubtedAt = now.uptimeMicroseconds + Claim.patienceMicroseconds
        stream.claimedStart = ClaimedStart(
            claimant: sender, former: former, since: stream.claimedStart?.since ?? now.uptimeMicroseconds,
            doubtedAt: min(stream.claimedStart?.doubtedAt ?? .max, doubtedAt))
        origins[stream.key.origin].hasClaimedStart = true
    }

    /// Takes note that the origin itself, or a batch, tells this start.
    func proveStart(_ origin: String, _ incarnation: UInt64) {
        if origins[origin].provenStart < incarnation { origins[origin].provenStart = incarnation }
    }

    /// Remembers the earlier start of a stream that begins to follow a later one, where only others than the origin
    /// tell that.
    func keepFormerStart(
        of stream: StreamState, before incarnation: UInt64, sender: SenderID?, isClaim: Bool, now: Moment
    ) {
        if !isClaim { proveStart(stream.key.origin, incarnation) }
        // Of several claimed starts, the start before the first is remembered.
        let current = FormerStart(
            incarnation: stream.incarnation, tracker: stream.tracker, claims: stream.claims,
            isAwaited: stream.beginning.isAwaited)
        noteStart(of: stream, incarnation, by: sender, former: stream.claimedStart?.former ?? current, now: now)
        stream.claims = []
        stream.isHeadClaimed = false
    }

    /// Whether the batch that the decoder holds, of the start before a claimed one, was here before. Takes note of the
    /// batch, because that start may be followed again.
    /// - Parameter isTaken: false for a batch that is dropped: it is missing where that start is followed again.
    func isKnownOfFormer(_ stream: StreamState, isTaken: Bool) -> Bool {
        let former = stream.claimedStart?.former?.incarnation ?? 0
        let isFormerProven = former <= origins[stream.key.origin].provenStart
        if former < decoder.incarnation || (former > decoder.incarnation && !isFormerProven) {
            // The start that was followed before had only been claimed, too.
            stream.claimedStart?.former = FormerStart(
                incarnation: decoder.incarnation, tracker: SequenceTracker(), claims: [], isAwaited: true)
        }
        proveStart(stream.key.origin, decoder.incarnation)
        guard stream.claimedStart?.former?.incarnation == decoder.incarnation else { return false }
        let sequence = decoder.sequence
        // A batch that others only claimed to hold may be news.
        if stream.claimedStart?.former?.claims.isMerelyClaimed(sequence) ?? false {
            if isTaken { stream.claimedStart?.former?.claims.noteReceived(sequence) }
            return false
        }
        guard isTaken else { return stream.claimedStart?.former?.tracker.contains(sequence) ?? false }
        guard case .duplicate? = stream.claimedStart?.former?.tracker.arrive(sequence) else { return false }
        return true
    }

    /// Takes note that the first batch of a start has come that only others had told.
    func proveStart(of stream: StreamState) {
        stream.claimedStart = nil
        proveStart(stream.key.origin, stream.incarnation)
    }

    /// Takes note that the origin itself tells a start, which may be earlier than the one that others have told.
    func decideStart(_ heads: Heads, now: Moment) {
        takeBackStart(of: heads.origin, to: heads.incarnation, now: now)
        proveStart(heads.origin, heads.incarnation)
    }

    /// Follows this start of an origin again on all streams, where only others have told of a later one.
    /// - Parameter isProven: the origin or a batch of its shows that the senders that told the later start were wrong.
    ///   Else one sender's word stands against another's, and nobody is blamed the first time.
    func takeBackStart(of origin: String, to incarnation: UInt64, isProven: Bool = true, now: Moment) {
        guard origins[origin].provenStart <= incarnation, origins[origin].hasClaimedStart else { return }
        origins[origin].hasClaimedStart = false
        origins[origin].latestStart = origins[origin].latestStart.map { min($0, incarnation) }
        origins[origin].startUnderWay = nil
        var claimants: [SenderID: StreamKey] = [:]
        let claimed = streams.of(origin: origin).filter { $0.claimedStart != nil && $0.incarnation > incarnation }
        for stream in claimed.sorted(by: { $0.precedes($1) }) {
            if let claimant = stream.claimedStart?.claimant, claimants[claimant] == nil {
                claimants[claimant] = stream.key
            }
            if stream.repair != nil { finish(stream, by: .superseded, now: now) }
            stream.beginning.end()
            (stream.holeSince, stream.missing, stream.clockPause) = (nil, nil, nil)
            let former = stream.claimedStart?.former
            let known = former.flatMap { $0.incarnation == incarnation ? $0 : nil }
            let since = min(stream.claimedStart?.since ?? .max, stream.unfollowed?.since ?? .max)
            stream.incarnation = incarnation
            stream.tracker = known?.tracker ?? SequenceTracker()
            stream.claims = known?.claims ?? []
            stream.unfollowed = (stream.tracker.applied, since)
            // The start that is followed again may be only a claim itself, which came after the remembered one.
            let isEarlier = former.map { $0.incarnation < incarnation } ?? false
            noteStart(of: stream, incarnation, by: nil, former: isEarlier ? former : nil, now: now)
            lowerHead(stream, to: 0)
            if let sender = stream.sender, known?.isAwaited ?? true { takeOver(stream, from: sender, now: now) }
            noticeHole(stream, finding: .headBeyondApplied, now: now)
        }
        for (claimant, key) in claimants.sorted(by: { $0.key.index < $1.key.index })
        where isProven || sessions[claimant.index].credit.noteLostStart(at: now.uptimeMicroseconds) {
            accuse(claimant, of: key, now: now)
        }
    }

    /// Doubts a claimed start. The earlier start is followed again where other senders hear of the origin and tell that
    /// one, as they would have heard of a later one, and no more senders tell the later one; or where the claimant
    /// itself tells the earlier start again. Else it is not known who is right, and the copies of those that tell the
    /// earlier start are merged.
    func reviewStart(of stream: StreamState, now: Moment) {
        guard let claimed = stream.claimedStart, now.uptimeMicroseconds >= claimed.doubtedAt else { return }
        let origin = stream.key.origin
        let count = claimed.doubtCount + 1
        // Doubted again after half a minute, and so on for a quarter of an hour. A proven start is doubted no more.
        let isLast = count >= ClaimedStart.doubtCountMax || !isMerelyClaimed(startOf: stream)
        stream.claimedStart?.doubtCount = count
        stream.claimedStart?.doubtedAt =
            isLast ? .max : now.uptimeMicroseconds + Claim.patienceMicroseconds << UInt64(count)
        guard isMerelyClaimed(startOf: stream) else { return }
        // A sender that tells a start from before the proven one knows less of the origin, and not more.
        let proven = origins[origin].provenStart
        let doubting = sessions.compactMap { session -> (sender: SenderID, incarnation: UInt64)? in
            guard let told = session.ages[origin], told.incarnation < stream.incarnation, told.incarnation >= proven,
                isSettled(session.id, since: told.at, now: now)
            else { return nil }
            return (session.id, told.incarnation)
        }
        let withdrawn = doubting.first { $0.sender == claimed.claimant }?.incarnation
        let known = doubting.filter { isFresh(origin, at: $0.sender, now: now) && isTrusted($0.sender, now: now) }
        let agreeing = sessions.count { session in
            session.isSynced && isTrusted(session.id, now: now)
                && session.ages[origin]?.incarnation ?? 0 >= stream.incarnation
        }
        let outvoting = agreeing > known.count ? [] : known.map(\.incarnation)
        if let earlier = (outvoting + [withdrawn].compactMap(\.self)).max() {
            takeBackStart(of: origin, to: earlier, isProven: false, now: now)
        } else if !doubting.isEmpty, stream.repair == nil {
            startRepair(stream, finding: .claim, now: now)
            stream.repair?.witness = doubting[count % doubting.count].sender
        }
    }

    private func isTrusted(_ sender: SenderID, now: Moment) -> Bool {
        !sessions[sender.index].credit.isDistrusted(at: now.uptimeMicroseconds)
    }
}
