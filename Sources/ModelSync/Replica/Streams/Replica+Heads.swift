import ModelCache
import ModelWire

extension Replica {
    /// Takes note that heads of a sender have come, whatever they tell.
    func noteContact(_ sender: SenderID, now: Moment) {
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        let contact = clockGuard.contact(by: &upkeep.contacts, now: now)
        if sessions[sender.index].isSynced { sessions[sender.index].lastContact = contact }
    }

    /// Takes note of the heads that a sender tells, and of the digests of its copy.
    func receiveHeads(_ sender: SenderID, _ heads: Heads, now: Moment) {
        guard noteOrigin(heads, of: sender, now: now) else { return }
        if heads.origin == sessions[sender.index].name { sessions[sender.index].leavesNamesOut = heads.leavesNamesOut }
        sessions[sender.index].ages[heads.origin] = (
            heads.isRelayed ? heads.ageMilliseconds ?? 0 : 0, now.uptimeMicroseconds, heads.incarnation, heads.stamp
        )
        learn(heads, of: sender, now: now)
        for head in heads.heads {
            // No digest is kept of a stream that is not followed.
            guard let digest = head.digest, streams[StreamKey(origin: heads.origin, topic: head.topic)] != nil else {
                continue
            }
            audits.note(digest, of: head.topic, toldBy: sender)
        }
        audit(sender, now: now)
    }

    /// Takes note of what a sender has sent, as `heads` or a reply tell it.
    /// - Parameter isReply: the heads came with a reply, which newer `heads` may have overtaken.
    func learn(_ heads: Heads, of sender: SenderID, isReply: Bool = false, now: Moment) {
        let word = word(sender, on: heads, now: now)
        noteLeases(heads, of: sender, word)
        if word == .own { decideStart(heads, now: now) }
        guard meetLaterStart(heads, sender, word, now: now) else { return }
        for head in heads.heads where isWanted(head.topic) {
            let key = StreamKey(origin: heads.origin, topic: head.topic)
            let known = streams[key]
            // Ignored heads move nothing. They add the sender to the tellers of a stream that follows the same start.
            if word == .ignored, known?.incarnation != heads.incarnation, !tellsFormer(head, heads, known) { continue }
            // One of the next ticks follows the later start on this topic.
            if let known, known.incarnation < heads.incarnation, origins[heads.origin].startUnderWay != nil { continue }
            let isUnmet = known == nil
            if isUnmet, !mayBegin(1, at: sender, now: now) { continue }
            let met = meet(
                key, incarnation: heads.incarnation, stamp: heads.stamp, sender: sender, isClaim: word == .heard,
                now: now)
            guard let stream = met else { continue }
            guard stream.incarnation == heads.incarnation else {
                noteFormer(head.sequence, of: stream, heads.incarnation, toldBy: sender, now: now)
                continue
            }
            let told = stream.head(toldBy: sender)
            let isTakenBack = !isReply && promise(of: sender, stream) > head.sequence
            if told != head.sequence, !isReply || told ?? 0 < head.sequence {
                stream.note(sender, incarnation: heads.incarnation, head: head.sequence)
                // Digests told before belong to other heads.
                audits.forgetDigests(overlapping: head.topic, type: stream.type, toldBy: sender)
            }
            stream.noteTold(by: sender, at: now.uptimeMicroseconds, isIgnored: word == .ignored)
            if stream.isUntold, !isName(heads.origin, now: now) { tellAgain(stream, now: now) }
            // Another sender may have told the stream before. The first word of the origin, a head of 0, says that an
            // earlier start has written there.
            let isOwnBeginning = word == .own && told == nil && head.sequence == 0
            if isUnmet || isOwnBeginning { takeFormerState(stream, sender, head: head.sequence, now: now) }
            if !isReply, told ?? 0 < head.sequence {
                takeLateState(stream, sender, head: head.sequence, before: told ?? 0, now: now)
            }
            takeWholeIfUnknown(stream, sender, now: now)
            learn(head: head.sequence, of: stream, word: word)
            // Within one contact an honest sender tells a lower head only if it was deceived itself: the head before
            // counts no longer.
            if isTakenBack, stream.isHeadClaimed { lowerHead(stream, to: 0) }
            noticeHole(stream, finding: .headBeyondApplied, now: now)
        }
    }

    /// A relay tells, with head 0, a topic that the origin, a sender itself, does not tell. An origin that has started
    /// without its models does not tell topics that it has not written to since; the copy of the relay may hold what
    /// the earlier start wrote there.
    private func tellsFormer(_ head: TopicHead, _ heads: Heads, _ known: StreamState?) -> Bool {
        known == nil && head.sequence == 0 && origins[heads.origin].provenStart == heads.incarnation
            && isPresent(heads.origin)
    }

    /// A later start of an origin takes the place of the earlier one on every topic, also on those that it has not
    /// written to: what was missing there is in no replay any more.
    /// - Returns: false where the budget of the sender is used up: the start is followed when it is told again.
    private func meetLaterStart(_ heads: Heads, _ sender: SenderID, _ word: Word, now: Moment) -> Bool {
        let former = origins[heads.origin].latestStart ?? 0
        guard heads.incarnation > former, word != .ignored else {
            goOnWithStart(heads, sender, word)
            return true
        }
        let earlier = streams.of(origin: heads.origin).filter { $0.incarnation < heads.incarnation }
        let count = min(earlier.count, StartUnderWay.topicCountMax)
        guard earlier.isEmpty || mayBegin(count, at: sender, now: now) else { return false }
        origins[heads.origin].latestStart = heads.incarnation
        if word == .heard { origins[heads.origin].hasClaimedStart = true }
        if former > 0 { origins[heads.origin].isRestarted = true }
        closeGroups(of: heads.origin, before: heads.incarnation, now: now)
        let start = StartUnderWay(
            incarnation: heads.incarnation, sender: sender, isClaim: word == .heard,
            rest: earlier.sorted { $0.precedes($1) }[...])
        follow(start, of: heads.origin, count: count, now: now)
        return true
    }

    /// Charges the rest of a start that is not followed on all topics yet to this sender, which tells it as well, where
    /// the budget of the sender before is used up.
    private func goOnWithStart(_ heads: Heads, _ sender: SenderID, _ word: Word) {
        guard let start = origins[heads.origin].startUnderWay, start.isWaiting, start.incarnation == heads.incarnation,
            word != .ignored
        else { return }
        origins[heads.origin].startUnderWay?.sender = sender
        origins[heads.origin].startUnderWay?.isWaiting = false
        if word == .own { origins[heads.origin].startUnderWay?.isClaim = false }
    }

    /// Follows a later start on so many topics of its origin, and on the rest in the next ticks.
    private func follow(_ start: StartUnderWay, of origin: String, count: Int, now: Moment) {
        var left = start
        left.rest = start.rest.dropFirst(count)
        origins[origin].startUnderWay = left.rest.isEmpty ? nil : left
        for stream in start.rest.prefix(count) {
            _ = meet(
                stream.key, incarnation: start.incarnation, sender: start.sender, isClaim: start.isClaim, now: now)
        }
    }

    /// Goes on with later starts that are not followed on all topics yet.
    func driveStarts(now: Moment) {
        guard origins.isAnyStartUnderWay else { return }
        var left = StartUnderWay.topicCountMax
        for (origin, known) in origins.startsUnderWay where left > 0 {
            var start = known
            // Batches may have brought the start on some of them.
            start.rest.removeAll { $0.incarnation >= start.incarnation }
            let count = min(start.rest.count, left)
            guard count == 0 || sessions[start.sender.index].budget.takeStreams(count, at: now.uptimeMicroseconds)
            else {
                origins[origin].startUnderWay?.isWaiting = true
                continue
            }
            left -= count
            follow(start, of: origin, count: count, now: now)
        }
    }

    /// Takes the former state of a stream that is met after the snapshot of the sender is complete. Where the origin
    /// has started anew since, or the head is 0, the topic holds what is in no batch.
    func takeFormerState(_ stream: StreamState, _ sender: SenderID, head: UInt64? = nil, now: Moment) {
        let origin = stream.key.origin
        // A batch of the later start may be here before any heads of it.
        let isLater = origins[origin].latestStart.map { $0 < stream.incarnation } ?? false
        guard sessions[sender.index].isSynced else { return }
        let isTaken = isLater || head == 0 || origins[origin].isRestarted
        if isTaken || origins[origin].mayHaveFormer { audits.noteUncopied(stream.type, at: now.uptimeMicroseconds) }
        if isTaken { takeOver(stream, from: sender, now: now) }
    }

    /// Takes note that a relay knows of an earlier start of an origin. A replica that met the origin by a batch of the
    /// later one, and asked for no copy since, lacks what the earlier one wrote if that was lost on the way here.
    func noteFormer(of origin: String, now: Moment) {
        guard !origins[origin].mayHaveFormer else { return }
        origins[origin].mayHaveFormer = true
        for stream in streams.of(origin: origin) {
            stream.holdsUntold = true
            audits.noteUncopied(stream.type, at: now.uptimeMicroseconds)
        }
    }

    /// Takes the copy of a sender once more that goes on in an earlier start than the one that is followed here: a
    /// relay shows the held part of a transaction at last, say. No batch and no head of the later start brings that.
    private func noteFormer(
        _ head: UInt64, of stream: StreamState, _ incarnation: UInt64, toldBy sender: SenderID, now: Moment
    ) {
        let told = stream.head(toldBy: sender, of: incarnation)
        guard told ?? 0 < head else { return }
        stream.note(sender, incarnation: incarnation, head: head)
        // The first head that it tells is of what its copy held when it was taken.
        guard told != nil, sessions[sender.index].isSynced else { return }
        audits.noteUncopied(stream.type, at: now.uptimeMicroseconds)
    }

    /// Takes the copy of a sender once more that has come to hold a stream after its copy was taken, perhaps by no
    /// batch, where nothing but the claims of others says that it is here: one of these may have brought nothing, and a
    /// stream that the sender lacks may keep digests from ever showing it.
    /// - Parameter told: the head that the sender told before.
    private func takeLateState(
        _ stream: StreamState, _ sender: SenderID, head: UInt64, before told: UInt64, now: Moment
    ) {
        guard sessions[sender.index].isSynced, sessions[sender.index].name != stream.key.origin,
            stream.claims.hideAny(after: told, through: head)
        else { return }
        audits.noteUncopied(stream.type, at: now.uptimeMicroseconds)
    }

    func receiveBye(_ sender: SenderID, _ bye: Bye, now: Moment) {
        guard bye.origin == sessions[sender.index].name else { return }
        // Contact is lost already: what was still on its way from the sender changes nothing.
        guard sessions[sender.index].handShake.step != .disconnected else { return }
        sessions[sender.index].lastError = "stopped in good order"
        notice(.senderStopped, ["sender": bye.origin])
        loseContact(sender, now: now)
    }
}
