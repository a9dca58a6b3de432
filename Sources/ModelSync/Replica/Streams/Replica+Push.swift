public import ModelGrants
import ModelWire

extension Replica {
    /// Takes a batch that a peer has pushed: for a relay. Any bytes are acceptable.
    ///
    /// Pushes are acknowledged, so a pushed stream has no holes: a batch must be the next of its (origin, incarnation,
    /// topic), and a new incarnation begins with sequence 1. A pushed incarnation is followed without a snapshot.
    /// - Parameters:
    ///   - grantee: the pusher, which must have been granted the type and the origin.
    ///   - mayName: whether the peer may begin one more name; called where the batch is of a name that is not followed
    ///     yet.
    public func receivePushed(
        topic bytes: Span<UInt8>, payload: Span<UInt8>, of grantee: Grantee = .anybody, now: Moment,
        mayName: (_ origin: String) -> Bool = { _ in true }
    ) -> PushArrival {
        let judged = judgePushed(topic: bytes, payload: payload, of: grantee, now: now) { _ in 0 }
        guard judged == .accepted || judged == .duplicate, let topic = try? self.topic(bytes) else { return judged }
        let key = StreamKey(origin: decoder.origin, topic: topic)
        guard judged == .accepted else {
            counters[.duplicateBatches] += 1
            // The batch may have come from another relay, which may lose it: this one answers for it from now on.
            if let stream = streams[key] { stream.isPushed = true }
            return judged
        }
        guard follows(key.origin) || mayName(key.origin) else { return .tooManyNames }
        guard let stream = meetPushed(key, now: now) else { return noRoom(now: now) }
        noteSealedStart(of: key.origin)
        countDecoded()
        stream.lastArrival = now.uptimeMicroseconds
        if stream.isUntold { tellAgain(stream, now: now) }
        stream.isPushed = true
        origins[key.origin].isPushedHere = true
        notePushed(key.origin)
        closeGroups(of: key.origin, before: decoder.incarnation, now: now)
        counters[.pushedBatches] += 1
        if origins.toldRejectedCount > 0 { noteClockAccepted(key.origin, ["way": "push"]) }
        if !isSettled(payload, of: stream, now: now) {
            _ = stream.tracker.arrive(decoder.sequence)
            merge(payload, of: stream, isCurrent: true, now: now)
        }
        noticeHole(stream, finding: .batchBeyondNext, now: now)
        return .accepted
    }

    /// Follows the stream of the batch that the decoder holds, which is pushed, or was in an earlier run. A pusher is
    /// the origin itself, so its start counts as its own word, whatever later start others have told.
    /// - Returns: nil where there is no room.
    func meetPushed(_ key: StreamKey, now: Moment) -> StreamState? {
        takeBackStart(of: key.origin, to: decoder.incarnation, now: now)
        return meet(key, incarnation: decoder.incarnation, sender: nil, isPushed: true, now: now)
    }

    /// Tells what would become of a pushed batch, and merges nothing: for a relay that makes the batch durable first.
    /// Any bytes are acceptable; afterwards the decoder holds a batch that is not malformed.
    /// - Parameter last: the greatest sequence of a stream that is on its way to the disk, 0 for none.
    func judgePushed(
        topic bytes: Span<UInt8>, payload: Span<UInt8>, of grantee: Grantee, now: Moment,
        after last: (ReplayRing.Stream) -> UInt64
    ) -> PushArrival {
        let topic: Topic
        do throws(WireError) {
            topic = try self.topic(bytes)
            try decoder.decode(payload)
        } catch {
            counters[.malformedFrames] += 1
            return .refused(error.code == .limit ? .limit : .malformed, error.description)
        }
        // The first check: one that may not write learns nothing of what is here.
        let origin = decoder.origin
        func isGranted(_ topic: Topic) -> Bool { topic.type.map { grantee.rights.mayWrite($0, as: origin) } ?? true }
        let denied = isGranted(topic) ? decoder.group.first { !isGranted($0) } : topic
        if let type = denied?.type {
            notice(
                .deniedPush,
                [
                    "key": grantee.name, "origin": origin, "type": type,
                    "advice": "if it should, grant its key publish:\(type) origin=\(origin)",
                ])
            return .notGranted(type, as: origin, to: grantee.name)
        }
        let pushed = StreamKey(origin: origin, topic: topic)
        if signatures != nil, let fault = refusalOfSeal(pushed, payload, from: grantee.title, now: now) {
            return .unsigned(fault)
        }
        guard isWanted(topic) else {
            return .refused(.unknownTopic, "\(topic) is not replicated here")
        }
        // A relay tells of itself under its name, and passes over what others tell of it.
        guard decoder.origin != configuration.name else {
            return .refused(
                .denied, "\(decoder.origin) is the name of this relay: give each process a name of its own")
        }
        let key = StreamKey(origin: decoder.origin, topic: topic)
        let sequence = decoder.sequence
        let waiting = last(
            ReplayRing.Stream(origin: decoder.origin, incarnation: decoder.incarnation, topic: topic))
        if let refusal = refusal(of: key, sequence: sequence, after: waiting, now: now) { return refusal }
        let last = max(decoder.incarnation, decoder.lastStamp)
        guard !clockGuard.isTooFarAhead(last, now: now) else {
            counters[.clockRejectedBatches] += 1
            noteClockRejected(key.origin, last, ["way": "push"], now: now)
            return .tooFarAhead
        }
        return .accepted
    }

    /// Why the decoded batch may not be merged now, or that it was merged before; nil when it is the next, or one that
    /// waits for the disk already.
    private func refusal(of key: StreamKey, sequence: UInt64, after waiting: UInt64, now: Moment) -> PushArrival? {
        let incarnation = decoder.incarnation
        guard let stream = streams[key], incarnation <= stream.incarnation else {
            // The stream may have been forgotten; its position was kept.
            let last = max(waiting, origins.limits.forgotten.applied(key, incarnation))
            if sequence > waiting, sequence <= last { return .duplicate }
            let isNext = sequence > 0 && sequence - 1 <= last
            return isNext ? nil : .outOfOrder(sequence, expected: last &+ 1)
        }
        let isOpen = isMerelyClaimed(startOf: stream) && incarnation >= origins[key.origin].provenStart
        guard incarnation == stream.incarnation || isOpen else {
            return .refused(.denied, "\(key.origin) has started anew since; its older incarnation is closed")
        }
        var (tracker, claims) = (stream.tracker, stream.claims)
        if incarnation < stream.incarnation {
            let former = stream.claimedStart?.former.flatMap { $0.incarnation == incarnation ? $0 : nil }
            (tracker, claims) = (former?.tracker ?? SequenceTracker(), former?.claims ?? [])
        }
        // A batch that others only claim to hold is merged as long as it is young.
        let isMerged =
            claims.isMerelyClaimed(sequence)
            && clockGuard.isYoung(max(decoder.incarnation, decoder.lastStamp), now: now)
        return isMerged ? nil : refusal(sequence, by: tracker, after: waiting)
    }

    private func refusal(_ sequence: UInt64, by tracker: SequenceTracker, after waiting: UInt64) -> PushArrival? {
        if tracker.contains(sequence) { return .duplicate }
        let applied = tracker.applied
        let next = max(applied, waiting) &+ 1
        return sequence > applied && sequence <= next ? nil : .outOfOrder(sequence, expected: next)
    }
}
