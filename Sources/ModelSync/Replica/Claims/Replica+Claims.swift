@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// The word of a sender on another origin is a claim (protocol article, section 6). The own word of the origin decides
/// where it can be heard; no claim keeps a batch from being merged; and a claim that a batch contradicts is taken back.
extension Replica {
    /// How far the word of a sender on an origin counts.
    enum Word {
        /// The sender is the origin.
        case own
        /// No sender is known to know better.
        case heard
        /// The word moves nothing: the origin is a sender itself and can be heard, this sender was contradicted and
        /// another speaks of the origin, or the start is implausible.
        case ignored
    }

    /// How far these heads of a sender count.
    func word(_ sender: SenderID, on heads: Heads, now: Moment) -> Word {
        if !heads.isRelayed, isOrigin(sessions[sender.index], heads.origin), !isBorneTwice(heads.origin) { return .own }
        if isPresent(heads.origin) { return .ignored }
        // A relay tells topics under its own name, and a key that is granted `relay` need not be that origin.
        if heads.isRelayed, sessions[sender.index].name == heads.origin, sessions[sender.index].rights != nil {
            return .ignored
        }
        let isDistrusted = sessions[sender.index].credit.isDistrusted(at: now.uptimeMicroseconds)
        if isDistrusted, hasWitness(heads.origin, besides: sender, now: now) { return .ignored }
        return isImplausible(heads.incarnation, of: heads.origin, sender, now: now) ? .ignored : .heard
    }

    /// The sender may say that the origin has ended: it is the origin, or the origin cannot be heard itself.
    func mayEnd(_ origin: String, _ sender: SenderID) -> Bool {
        isOrigin(sessions[sender.index], origin) || !isPresent(origin)
    }

    /// The origin is a sender itself, and contact stands. Where two senders bear its name, it is not known which of
    /// them is the origin.
    func isPresent(_ origin: String) -> Bool {
        sessions.contains { $0.isSynced && isOrigin($0, origin) } && !isBorneTwice(origin)
    }

    private func isBorneTwice(_ name: String) -> Bool { sessions.count { $0.isSynced && isOrigin($0, name) } > 1 }

    /// The origin pushes to this replica, or another sender speaks of it that was not contradicted lately.
    private func hasWitness(_ origin: String, besides sender: SenderID, now: Moment) -> Bool {
        origins[origin].isPushedHere
            || sessions.contains { session in
                session.id != sender && session.isSynced && session.ages[origin] != nil
                    && !session.credit.isDistrusted(at: now.uptimeMicroseconds)
            }
    }

    /// A stamp of the origin that this sender tells lies ahead of the wall clock, and further ahead than another sender
    /// knows the clock of the origin to be. Clocks that are right, and clocks that all senders know to be ahead, pass.
    ///
    /// Such a start is not followed. Such a last stamp is passed over alone, and what came with it counts: a relay may
    /// have been told it by a liar.
    func isImplausible(_ stamp: Stamp, of origin: String, _ sender: SenderID, now: Moment) -> Bool {
        let last = stamp >> 16
        guard last > now.wallMilliseconds + Replica.implausibleMilliseconds else { return false }
        let known = sessions.compactMap { session -> UInt64? in
            guard session.id != sender, isFresh(origin, at: session.id, now: now), let told = session.ages[origin]
            else { return nil }
            return told.stamp >> 16 + now.uptimeMicroseconds.subtractingOrZero(told.at) / 1000
        }
        return known.max().map { last > $0 + Replica.implausibleMilliseconds } ?? false
    }

    /// By how much a sender may know a clock to be further ahead than another sender does.
    private static let implausibleMilliseconds: UInt64 = 5_000

    /// The sender has heard of the origin lately.
    func isFresh(_ origin: String, at sender: SenderID, now: Moment) -> Bool {
        let session = sessions[sender.index]
        return session.isSynced && session.ages[origin] != nil && !isOverdue(origin, at: sender, now: now)
    }

    // MARK: What is said to be here

    /// Takes note that a snapshot is said to hold the stream up to this sequence, by the sender or, where that is nil,
    /// by the store.
    func cover(_ stream: StreamState, through sequence: UInt64, word: Word, of sender: SenderID?, now: Moment) {
        if word == .own {
            dropClaims(stream, from: 0)
            if stream.isHeadClaimed { lowerHead(stream, to: sequence) }
        } else {
            claim(stream, through: sequence, sender, now: now)
        }
        stream.tracker.cover(through: sequence)
    }

    private func claim(_ stream: StreamState, through sequence: UInt64, _ sender: SenderID?, now: Moment) {
        // A claim that goes less far than others stands when those fall.
        let index = stream.claims.firstIndex { sequence <= $0.through } ?? stream.claims.endIndex
        let isLast = index == stream.claims.endIndex
        let former = isLast ? stream.tracker : stream.claims[index].former
        guard sequence > former.applied, isLast || sequence < stream.claims[index].through else { return }
        for later in stream.claims.indices[index...] { stream.claims[later].former.cover(through: sequence) }
        stream.claims.insert(
            Claim(sender, through: sequence, at: now.uptimeMicroseconds, former: former), at: index)
        guard stream.claims.count > Claim.countMax else { return }
        // Two claims become one, which undoes both when it falls.
        let merged = stream.claims.leastApart
        let lesser = stream.claims.remove(at: merged)
        stream.claims[merged].former.takeBack(through: lesser.through, former: lesser.former)
    }

    /// Takes back the claims from `index` on, as if they had never been made.
    private func dropClaims(_ stream: StreamState, from index: Int) {
        // Claims are taken back one by one: a batch that came between two of them is known to the later one alone.
        for claim in stream.claims[index...].reversed() {
            stream.tracker.takeBack(through: claim.through, former: claim.former)
        }
        stream.claims.removeSubrange(index...)
    }

    /// Takes the batch that the decoder holds where others claim that it is here already. The batch proves the start of
    /// the stream, if it is of that start.
    /// - Returns: false where no claim reaches the batch, so the caller has to take it.
    func isSettled(_ payload: Span<UInt8>, of stream: StreamState, now: Moment) -> Bool {
        if stream.claimedStart != nil, stream.incarnation == decoder.incarnation { proveStart(of: stream) }
        guard decoder.sequence <= stream.claims.last?.through ?? 0 else { return false }
        acceptClaimed(payload, of: stream, now: now)
        return true
    }

    /// Merges the batch that the decoder holds, which others claim to be here already. An old batch is dropped, since
    /// what it writes may be deleted and the delete forgotten. This goes for a push as well: another relay may have
    /// told the deletes of its models already.
    private func acceptClaimed(_ payload: Span<UInt8>, of stream: StreamState, now: Moment) {
        let sequence = decoder.sequence
        guard stream.claims.isMerelyClaimed(sequence) else {
            counters[.duplicateBatches] += 1
            return
        }
        guard clockGuard.isYoung(max(decoder.incarnation, decoder.lastStamp), now: now) else {
            counters[.expiredBatches] += 1
            return
        }
        stream.claims.noteReceived(sequence)
        if completesHeld(payload, of: stream, now: now) { return }
        // Like a batch of an earlier start this one is forwarded only where it is news. The batch is merged alone,
        // since the rest of its transaction does not come again where the claim is true.
        if decoder.group.count > 1 {
            groups.noteMergedAlone(stream.key.topic, origin: decoder.origin, stamp: decoder.stamp)
        }
        if mergeAlone(payload, of: stream, isCurrent: false, now: now) { contradict(stream, by: sequence, now: now) }
    }

    /// Gives the batch that the decoder holds to a transaction of which all other parts are held here already.
    /// - Returns: whether there is one. It is whole then, and was merged.
    private func completesHeld(_ payload: Span<UInt8>, of stream: StreamState, now: Moment) -> Bool {
        guard decoder.group.count > 1, groups.awaitsOnly(stream.key.topic, stream.key.origin, decoder.stamp)
        else { return false }
        let sequence = decoder.sequence
        // Forwarded here, and not once more with the others.
        guard let parts = addPart(payload, of: stream, isForwarded: true, now: now) else { return false }
        let news = mergeWhole(parts, now: now)
        if !news.isEmpty { forward(payload, of: stream.key) }
        // Changes by other parts do not say that this one was not here.
        if news.contains(stream.key.topic) { contradict(stream, by: sequence, now: now) }
        return true
    }

    /// Merges the stored batch that the decoder holds, where the stored state claims to hold it and does not.
    /// - Returns: whether the batch was not here.
    func restoreClaimed(_ payload: Span<UInt8>, of stream: StreamState, now: Moment) -> Bool {
        let sequence = decoder.sequence
        guard stream.claims.isMerelyClaimed(sequence),
            clockGuard.isYoung(max(decoder.incarnation, decoder.lastStamp), now: now)
        else { return false }
        stream.claims.noteReceived(sequence)
        let summary = commit(decoder.batch(in: payload), of: stream)
        guard summary.changed > 0 else { return false }
        count(summary, batches: 1)
        forward(payload, of: stream.key)
        contradict(stream, by: sequence, now: now)
        return true
    }

    /// Takes back the claims that a batch has contradicted: it was said to be here, and has changed something. What is
    /// missing then is mended.
    ///
    /// In a lazy copy a change contradicts nothing: it has taken the word of the sender without the records. What it
    /// holds is compared, and batches that come go in all the same.
    func contradict(_ stream: StreamState, by sequence: UInt64, now: Moment) {
        guard !isLazy else { return }
        guard let index = stream.claims.firstIndex(where: { sequence <= $0.through }) else { return }
        let claimants = stream.claims[index...].map(\.claimant)
        let hadBeginning = stream.claims[index].former.applied > 0
        dropClaims(stream, from: index)
        for claimant in claimants { accuse(claimant, of: stream.key, now: now) }
        // The heads of the claimants are claims, too.
        for case let claimant? in claimants { stream.lowerHead(of: claimant, to: 0) }
        lowerHead(stream, to: 0)
        guard stream.tracker.hasHole, !hadBeginning, hasSyncedTeller(stream) else {
            return noticeHole(stream, finding: .headBeyondApplied, now: now)
        }
        // Where nothing had been applied before, the missing batches may be of any age. What they write may be deleted,
        // and the delete forgotten, so a copy is taken.
        stream.holeSince = nil
        startRepair(stream, finding: .headBeyondApplied, now: now)
        if stream.repair?.request == nil, stream.repair?.rung == .replay { fallBack(stream, now: now) }
    }

    /// Sets the last known head to this, or to the greatest head that counts of those that senders tell.
    func lowerHead(_ stream: StreamState, to head: UInt64) {
        stream.isHeadClaimed = false
        stream.tracker.replaceHead(by: head)
        let origin = stream.key.origin
        let isPresent = isPresent(origin)
        for teller in stream.tellers where teller.incarnation == stream.incarnation {
            let isOwn = isOrigin(sessions[teller.sender.index], origin)
            guard isOwn || !isPresent, let told = teller.head else { continue }
            if told > stream.tracker.head { stream.isHeadClaimed = !isOwn }
            stream.tracker.learn(head: told)
        }
    }

    /// Takes note that a claim was false: it is counted, shown in the status of the sender, and logged the first time.
    func accuse(_ claimant: SenderID?, of key: StreamKey, now: Moment) {
        counters[.contradictedHeads] += 1
        guard let claimant else { return }
        let isFirst = sessions[claimant.index].credit.contradictionCount == 0
        sessions[claimant.index].credit.noteContradiction(at: now.uptimeMicroseconds)
        sessions[claimant.index].lastError = "what it said of \(key.origin.shown()) on \(key.topic) was not so"
        guard isFirst else { return }
        notice(
            .contradictedHeads,
            [
                "sender": label(claimant), "origin": key.origin, "topic": key.topic.description,
                "advice":
                    "a relay or job that has lost what it held says so, too; else find out why this sender does",
            ])
    }

    // MARK: Heads

    /// Takes note that a sender tells a head.
    func learn(head: UInt64, of stream: StreamState, word: Word) {
        switch word {
        case .own:
            if stream.isHeadClaimed { lowerHead(stream, to: head) }
            guard !stream.claims.isEmpty else { break }
            // While the origin was not heard, others may have claimed to hold what it has not sent, or what is not
            // here.
            let isPresent = isPresent(stream.key.origin)
            let first = stream.claims.firstIndex { $0.through > head || (isPresent && $0.claimant != nil) }
            guard let first else { break }
            dropClaims(stream, from: first)
            lowerHead(stream, to: head)
        case .heard: if head > stream.tracker.head { stream.isHeadClaimed = true }
        case .ignored: return
        }
        stream.tracker.learn(head: head)
    }

    /// Takes note that the copy of a sender does not hold what its own heads had promised, in this contact, when it was
    /// asked for. Those heads count no longer: the copy of an honest sender holds all that it has told.
    /// - Parameters:
    ///   - promised: the head that the sender had told then.
    ///   - head: the head that came with its copy.
    func refute(_ stream: StreamState, at sender: SenderID, promised: UInt64, head: UInt64, now: Moment) {
        guard head < promised, sessions[sender.index].name != stream.key.origin else { return }
        stream.lowerHead(of: sender, to: head)
        accuse(sender, of: stream.key, now: now)
        lowerHead(stream, to: 0)
    }

    /// The head that the sender has told in this contact.
    func promise(of sender: SenderID, _ stream: StreamState) -> UInt64 {
        guard let teller = stream.tellers.first(where: { $0.sender == sender }),
            teller.incarnation == stream.incarnation, teller.toldAt > sessions[sender.index].welcomedAt
        else { return 0 }
        return teller.head ?? 0
    }

    // MARK: Doubts

    /// Doubts claims that have stood for long. Where another sender tells less, its copy is merged: what the claim
    /// hides is in it. Where another sender hears of the origin, and tells an earlier start, that start is followed
    /// again.
    func reviewClaims(now: Moment) {
        let time = now.uptimeMicroseconds
        func isDue(_ stream: StreamState) -> Bool {
            time >= min(stream.claimedStart?.doubtedAt ?? .max, stream.claims.last?.doubtedAt ?? .max)
        }
        var doubted: [(stream: StreamState, by: StreamState.Teller)] = []
        var starts: [StreamState] = []
        for stream in streams.values where isDue(stream) {
            if time >= stream.claimedStart?.doubtedAt ?? .max { starts.append(stream) }
            guard let claim = stream.claims.last, time >= claim.doubtedAt else { continue }
            for index in stream.claims.indices { stream.claims[index].isSeasoned = true }
            let last = stream.claims.endIndex - 1
            stream.claims[last].doubtedAt =
                time + Claim.patienceMicroseconds << UInt64(min(claim.doubtCount + 1, 6))
            // Doubting senders are asked in turns: one that tells another head each time would else be the only one.
            let doubting = stream.tellers.filter { teller in
                guard let head = teller.head, teller.incarnation == stream.incarnation else { return false }
                return head < claim.through && claim.doubted[teller.sender]?.head != head
                    && isSettled(teller.sender, since: teller.toldAt, now: now)
                    && sessions[teller.sender.index].budget.hasRequest(.snapshot, at: time)
            }.min { claim.doubted[$0.sender]?.at ?? 0 < claim.doubted[$1.sender]?.at ?? 0 }
            if stream.repair == nil, let doubting { doubted.append((stream, doubting)) }
        }
        // Sorted, so that the order is the same on every machine. No more at a time than a tick begins repairs.
        for stream in starts.sorted(by: { $0.precedes($1) }).prefix(Replica.startCountMax) {
            reviewStart(of: stream, now: now)
        }
        for (stream, teller) in doubted.sorted(by: { $0.stream.precedes($1.stream) }).prefix(Replica.startCountMax) {
            guard let head = teller.head, stream.repair == nil, !stream.claims.isEmpty else { continue }
            let last = stream.claims.endIndex - 1
            stream.claims[last].doubtCount += 1
            stream.claims[last].doubted[teller.sender] = (head, time)
            startRepair(stream, finding: .claim, now: now)
            stream.repair?.witness = teller.sender
        }
    }

    /// The claims on the stream may be stored: each has stood for so long that other senders could doubt it, and none
    /// is by a sender that was contradicted.
    func isStorable(_ stream: StreamState) -> Bool {
        // Where the start is only claimed, the position of the one before it is stored.
        (stream.claims + (stream.claimedStart?.former?.claims ?? [])).allSatisfy { claim in
            guard let claimant = claim.claimant, sessions.count > 1 else { return true }
            return claim.isSeasoned && sessions[claimant.index].credit.contradictionCount == 0
        }
    }

    /// The head that a relay tells of a stream: what it has committed. A claim that others doubt, by a sender that was
    /// contradicted before, is told only as far as those tell it whose copies were merged. A replica that listens to
    /// the relay then doubts the claim in turn.
    func vouched(_ key: StreamKey, _ stream: StreamState) -> UInt64 {
        let committed = committed(key, stream)
        guard let claim = stream.claims.last, let told = claim.doubted.values.map(\.head).max(),
            committed <= claim.through, let claimant = claim.claimant,
            sessions[claimant.index].credit.contradictionCount > 0
        else { return committed }
        return min(committed, max(told, claim.former.applied))
    }

    /// Contact with the sender, within which it has told that, has stood for so long that the sender should know what
    /// others do.
    func isSettled(_ sender: SenderID, since told: UInt64, now: Moment) -> Bool {
        let session = sessions[sender.index]
        return session.isSynced && told > session.welcomedAt
            && now.uptimeMicroseconds >= session.handShake.since + Claim.patienceMicroseconds
    }
}
