@_spi(CacheWriting) import ModelCache
import ModelRecord
public import ModelSigning
import ModelWire

extension Replica {
    /// Takes one message of a sender's stream: the topic frame and the payload frame. Any bytes are acceptable.
    /// - Parameter verdict: the answer to whether the seal of the batch is right, where the owner has looked at it
    ///   already; nil to have it looked at here, if it has to be.
    public func receiveStream(
        _ sender: SenderID, topic topicBytes: Span<UInt8>, payload: Span<UInt8>, verdict: SealVerdict? = nil,
        now: Moment
    ) {
        guard topicBytes.count > 0, topicBytes[0] == 0x6D else {
            _ = receiveFrame(sender, topic: topicBytes, payload: payload, now: now)
            return
        }
        do throws(WireError) {
            try receiveBatch(sender, topic: topicBytes, payload: payload, verdict, now: now)
        } catch {
            dropMalformed(sender, error)
        }
        if isLimited { enforceLimits(now: now) }
    }

    /// Takes one message of a sender's stream whose topic is not one of data.
    /// - Returns: the frame, which a relay looks at, too; nil for one that cannot be read.
    func receiveFrame(
        _ sender: SenderID, topic topicBytes: Span<UInt8>, payload: Span<UInt8>, now: Moment
    ) -> StreamFrame? {
        do throws(WireError) {
            let frame = try StreamFrame(decoding: payload, limits: configuration.limits)
            switch frame {
            case .heads(let heads):
                let isBarrier = topicBytes.count > 0 && topicBytes[0] == 0xFF
                noteContact(sender, now: now)
                let allowed = allowed(heads, of: sender)
                if let allowed { receiveHeads(sender, allowed, now: now) }
                if isBarrier, topicBytes.isEqual(to: sessions[sender.index].barrier) {
                    barrierPassed(sender, now: now)
                }
                return allowed.map { .heads($0) }
            case .bye(let bye):
                guard isAllowed(bye, of: sender) else { return nil }
                receiveBye(sender, bye, now: now)
            case .signedHeads(let told):
                let isNew = receiveSignedHeads(sender, told, topic: topicBytes, payload: payload, now: now)
                guard isNew else { return nil }
            case .batch, .unknown: counters[.unknownKinds] += 1
            }
            return frame
        } catch {
            dropMalformed(sender, error)
            return nil
        }
    }

    /// Counts a message that the runtime has dropped, because its frames are not of this protocol.
    public func countMalformed(_ sender: SenderID, _ reason: String) {
        dropMalformed(sender, WireError(.malformed, reason))
    }

    func dropMalformed(_ sender: SenderID, _ error: WireError) {
        counters[.malformedFrames] += 1
        sessions[sender.index].lastError = error.description
        errors.note("malformed frame", of: label(sender), error.description)
        notice(.malformed, ["sender": label(sender), "reason": error.description])
    }

    /// The stream of a key, if it is followed. The stream that was found last is returned without exclusive access to
    /// the table, which the hot path saves.
    @inline(__always)
    func stream(_ key: StreamKey) -> StreamState? {
        if let recent = streams.recent, recent.key == key { return recent }
        return streams.find(key)
    }

    /// The topic of these bytes. The topic that was found last is returned without exclusive access, too.
    @inline(__always)
    func topic(_ bytes: Span<UInt8>) throws(WireError) -> Topic {
        if let recent = streams.topics.recent, bytes.isEqual(to: recent.bytes) { return recent }
        return try streams.topics.topic(bytes)
    }

    private func receiveBatch(
        _ sender: SenderID, topic bytes: Span<UInt8>, payload: Span<UInt8>, _ verdict: SealVerdict?, now: Moment
    ) throws(WireError) {
        let topic = try self.topic(bytes)
        guard isWanted(topic) else { return }
        if let verdict, verdict != .genuine { return refuse(sender, topic: topic, payload, verdict, now: now) }
        try decoder.decode(payload)
        // A batch is a sign of life: the heads may stand behind more batches than can be applied in time.
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        countDecoded()
        let key = StreamKey(origin: decoder.origin, topic: topic)
        guard mayCount(key, payload, verdict, of: sender, now: now) else { return }
        guard !isStartTooFarAhead(decoder.incarnation, followed: stream(key)?.incarnation, now: now) else {
            counters[.clockRejectedBatches] += 1
            return noteStartAhead(key.origin, decoder.incarnation, at: sender, now: now)
        }
        let count = streams.count
        let met = meet(
            key, incarnation: decoder.incarnation, stamp: decoder.lastStamp, sender: sender, now: now)
        guard let stream = met else { return }
        if sessions[sender.index].isJudged { noteSealedStart(of: key.origin) }
        stream.lastArrival = now.uptimeMicroseconds
        if isLimited, !sessions[sender.index].isSynced { sessions[sender.index].holdsUncovered = true }
        if stream.isUntold { tellAgain(stream, now: now) }
        if streams.count > count { takeFormerState(stream, sender, now: now) }
        var isCurrent = stream.incarnation == decoder.incarnation
        if !isCurrent, stream.claimedStart != nil, decoder.lastStamp > stream.incarnation {
            // The batch was written after the later start that others tell began, so the origin did not start anew.
            takeBackStart(of: key.origin, to: decoder.incarnation, now: now)
            isCurrent = stream.incarnation == decoder.incarnation
        }
        accept(payload, of: stream, isCurrent: isCurrent, sender: sender, now: now)
    }

    func countDecoded() {
        if decoder.unknownOperations > 0 { counters[.unknownKinds] += UInt64(decoder.unknownOperations) }
        if !decoder.refused.isEmpty { counters[.refusedUpdates] += UInt64(decoder.refused.count) }
    }

    /// Takes the batch that the decoder holds, from the stream or by replay: drops it if it was here before, rejects it
    /// if it comes from the future, else merges it.
    /// - Parameter isCurrent: false for a batch of an older incarnation: it is merged and not tracked.
    func accept(_ payload: Span<UInt8>, of stream: StreamState, isCurrent: Bool, sender: SenderID, now: Moment) {
        // A rejected batch is not marked as received: it is judged anew when it comes again.
        if clockGuard.isTooFarAhead(decoder.lastStamp, now: now) {
            return reject(stream, isCurrent: isCurrent, sender, now: now)
        }
        if isCurrent {
            if decoder.sequence <= stream.doubtfulThrough, isSettled(payload, of: stream, now: now) { return }
            guard case .new = stream.tracker.arrive(decoder.sequence) else {
                counters[.duplicateBatches] += 1
                return
            }
        }
        if !isCurrent {
            // The models of the batch may have been deleted since, and the deletes forgotten: it would bring them back.
            let isExpired = clockGuard.isExpired(decoder.lastStamp, now: now)
            if stream.claimedStart != nil, isKnownOfFormer(stream, isTaken: !isExpired) {
                counters[.duplicateBatches] += 1
                return
            }
            if isExpired {
                counters[.expiredBatches] += 1
                return
            }
        }
        merge(payload, of: stream, isCurrent: isCurrent, now: now)
        if isCurrent { noticeHole(stream, finding: .batchBeyondNext, now: now) }
    }

    /// Merges the batch that the decoder holds, or holds it until its transaction is whole, and hands it on.
    /// - Parameter isCurrent: false for a batch of an older incarnation: it is handed on only if it changed anything.
    @inline(__always)
    func merge(_ payload: Span<UInt8>, of stream: StreamState, isCurrent: Bool, now: Moment) {
        stream.lastBatchLagMilliseconds = now.wallMilliseconds.subtractingOrZero(decoder.stamp >> 16)
        stream.lastStamp = max(stream.lastStamp, decoder.lastStamp)
        if decoder.group.count > 1 {
            let wanted = decoder.group.filter(isWanted)
            if wanted.count > 1 {
                if isCurrent { forward(payload, of: stream.key) }
                return hold(payload, of: stream, wanted: wanted, isForwarded: isCurrent, now: now)
            }
        }
        mergeAlone(payload, of: stream, isCurrent: isCurrent, now: now)
    }

    /// Merges the batch that the decoder holds, whatever transaction it is a part of.
    /// - Returns: whether it changed anything.
    @discardableResult
    @inline(__always)
    func mergeAlone(_ payload: Span<UInt8>, of stream: StreamState, isCurrent: Bool, now: Moment) -> Bool {
        let summary = commit(decoder.batch(in: payload), of: stream)
        if renewal != nil, !putAside(payload, of: stream.key.topic, decoder, now: now) {
            renewal?.cache.commit(decoder.batch(in: payload), type: stream.type)
        }
        count(summary, batches: 1)
        // Checked before the call, so that the name of the type is not copied in vain.
        if !audits.isEmpty { passAudit(of: stream.type, now: now) }
        if configuration.forwardsBatches, isCurrent || summary.changed > 0 { forward(payload, of: stream.key) }
        return summary.changed > 0
    }

    /// Commits a batch. A batch of one update, the usual case while there is little to do, takes a shorter way.
    @inline(__always)
    func commit(_ batch: borrowing UpdateBatchView, of stream: StreamState) -> BatchSummary {
        let table = stream.table(of: cache)
        if leases.isAnySilent { leases.noteArrivals() }
        guard batch.count == 1 else { return cache.commit(batch, in: table) }
        return BatchSummary(cache.commit(batch.update(at: 0), in: table))
    }

    @inline(__always)
    func forward(_ payload: Span<UInt8>, of key: StreamKey) {
        guard configuration.forwardsBatches else { return }
        actions.append(
            .forward(
                topic: key.topic, payload: payload.copied, origin: key.origin, incarnation: decoder.incarnation,
                sequence: decoder.sequence))
    }

    func count(_ summary: BatchSummary, batches: UInt64) {
        counters[.appliedBatches] += batches
        counters[.appliedUpdates] += UInt64(summary.changed)
        counters[.unchangedUpdates] += UInt64(summary.unchanged)
        counters[.conflictingCells] += UInt64(summary.conflictingCells)
        counters[.droppedCells] += UInt64(summary.droppedCells)
    }

    /// Finds the stream, and sees to it that a newer incarnation takes the place of an older one.
    /// - Parameters:
    ///   - stamp: the last stamp of the origin that is known; 0 for none.
    ///   - isPushed: the push of a peer begins the stream, and not a sender.
    ///   - isClaim: another than the origin tells this start, and no batch of it has come.
    /// - Returns: the stream, which may follow a newer incarnation than this; nil when there are too many.
    func meet(
        _ key: StreamKey, incarnation: UInt64, stamp: Stamp = 0, sender: SenderID?, isPushed: Bool = false,
        isClaim: Bool = false, now: Moment
    ) -> StreamState? {
        // Checked first: a stream that is refused must leave nothing behind.
        if let sender, !noteOrigin(key.origin, of: sender, now: now) { return nil }
        let known = stream(key)
        let stream: StreamState
        if let known {
            stream = known
        } else {
            let made = makeStream(
                key, incarnation: incarnation, sender: sender, isPushed: isPushed, isClaim: isClaim, now: now)
            guard let made else { return nil }
            stream = made
        }
        if incarnation > stream.incarnation {
            begin(incarnation, of: stream, sender: sender, isClaim: isClaim, now: now)
        }
        if incarnation < stream.incarnation { noteOlder(stream, stamp) }
        guard let sender else { return stream }
        stream.note(sender, incarnation: incarnation)
        // The records that the stream had before are awaited from the snapshot of this sender, or of another. Where the
        // origin is a sender itself and its snapshot is complete, that has brought them.
        if known == nil, !sessions[sender.index].isSynced, !isPresent(key.origin) {
            takeOver(stream, from: sender, now: now)
        }
        return stream
    }

    private func makeStream(
        _ key: StreamKey, incarnation: UInt64, sender: SenderID?, isPushed: Bool, isClaim: Bool, now: Moment
    ) -> StreamState? {
        let isNew = !follows(key.origin)
        if isNew && streams.byOrigin.count >= origins.limits.bounds.nameCount || !hasShare(sender) {
            forgetNames(now: now)
        }
        let source = sender.map(TypeRoom.Source.sender) ?? .pusher
        guard let type = key.topic.type, streams.count < origins.limits.bounds.streamCount, hasShare(sender),
            hasRoom(for: type, of: source),
            case let telling = findRoom(for: key, isPushed: isPushed, now: now), telling != .refused
        else {
            // The answer to a push tells the peer that it was refused.
            if !isPushed { noteRefused(key.origin) }
            return nil
        }
        origins.limits.types.insert(type, of: source)
        // The batch may be a late one of an earlier start. The stream follows the latest start of the origin all the
        // same.
        let latest = max(incarnation, origins[key.origin].latestStart ?? 0)
        let stream = StreamState(
            key: key, type: type, incarnation: latest, metAt: sender, now: now.uptimeMicroseconds)
        stream.isUntold = telling == .untold
        if stream.isUntold { origins.limits.leavesNamesOut = true }
        goOn(stream)
        if latest > incarnation { stream.holdsOlderIncarnation = true }
        // A restored state may hold models of this stream although no position of it was stored.
        stream.holdsUntold = latest > incarnation || clockGuard.lastAlive != nil || origins[key.origin].mayHaveFormer
        if !isClaim { proveStart(key.origin, incarnation) }
        noteStart(of: stream, latest, by: sender, now: now)
        streams.insert(stream)
        if let sender { sessions[sender.index].budget.take(key) }
        return stream
    }

    /// Counts a stream or an origin that is not followed because there are too many, and logs the first of them.
    func noteRefused(_ origin: String) {
        noteRefused(["origin": origin], "use fewer names, topics or types, or larger frames")
    }

    /// Counts what is not followed because there are too many, and logs the first.
    /// - Parameter what: the name of it, for the log.
    func noteRefused(_ what: [String: String], _ advice: String) {
        counters[.refusedStreams] += 1
        guard !origins.limits.hasToldRefusal else { return }
        origins.limits.hasToldRefusal = true
        let details = ["streams": "\(streams.count)", "advice": advice]
        notice(.streamsRefused, what.merging(details) { $1 })
    }

    /// Takes note that the sender speaks for the origin.
    /// - Returns: false when the sender speaks for too many, and none of them can be forgotten.
    func noteOrigin(_ origin: String, of sender: SenderID, now: Moment) -> Bool {
        if sessions[sender.index].lastOrigin == origin { return true }
        return noteOtherOrigin(origin, of: sender, now: now)
    }

    private func noteOtherOrigin(_ origin: String, of sender: SenderID, now: Moment) -> Bool {
        if sessions[sender.index].origins.contains(origin) {
            sessions[sender.index].lastOrigin = origin
            return true
        }
        if sessions[sender.index].origins.count >= origins.limits.bounds.originCount { forgetNames(now: now) }
        guard sessions[sender.index].origins.count < origins.limits.bounds.originCount else {
            noteRefused(origin)
            return false
        }
        sessions[sender.index].origins.insert(origin)
        return true
    }

    /// Takes note that the sender tells heads of the origin.
    /// - Returns: false when the sender speaks for too many, or the start lies too far ahead, or a relay tells this
    ///   one's own topics back.
    func noteOrigin(_ heads: Heads, of sender: SenderID, now: Moment) -> Bool {
        if configuration.forwardsBatches, heads.isRelayed, heads.origin == configuration.name { return false }
        guard noteOrigin(heads.origin, of: sender, now: now) else { return false }
        guard !isStartTooFarAhead(heads.incarnation, followed: origins[heads.origin].latestStart, now: now) else {
            counters[.clockRejectedHeads] += 1
            noteStartAhead(heads.origin, heads.incarnation, at: sender, now: now)
            return false
        }
        let word = word(sender, on: heads, now: now)
        guard word != .ignored else { return true }
        if !clockGuard.isTooFarAhead(heads.stamp, now: now) {
            // An origin that is a sender itself is told its own stamps back, and never what others make of them: it
            // would take them for given, and for taken here.
            if word == .own || !hears(heads.origin) {
                origins[heads.origin].latestStamp = max(origins[heads.origin].latestStamp, heads.stamp)
            }
            // A relay tells the last stamp that it has taken, whatever the origin's clock says now.
            if origins.toldRejectedCount > 0, !heads.isRelayed || !hears(heads.origin), !isAhead(heads.origin) {
                noteClockAccepted(heads.origin, ["sender": label(sender)])
            }
        }
        if heads.hasTransactions { origins.noteTransaction(of: heads.origin) }
        if heads.isPushed { notePushed(heads.origin) }
        if heads.mayHaveFormer { noteFormer(of: heads.origin, now: now) }
        return true
    }

    /// Takes note of the origins that these heads of the sender tell.
    func noteOrigins(_ heads: [Heads], of sender: SenderID, now: Moment) {
        for told in heads { _ = noteOrigin(told, of: sender, now: now) }
    }

    /// Counts what comes of an older incarnation. What it sent before the newer one began comes late, by replays and
    /// relays, after every restart. Only what it sends afterwards shows that two processes have one name.
    private func noteOlder(_ stream: StreamState, _ stamp: Stamp) {
        counters[.olderIncarnationBatches] += 1
        guard stamp > stream.incarnation else { return }
        stream.olderBatchCount += 1
        guard stream.olderBatchCount == Replica.conflictBatchCount else { return }
        counters[.incarnationConflicts] += 1
        notice(.incarnationConflict, ["origin": stream.key.origin, "advice": "give each publisher its own name"])
    }

    /// Follows a newer incarnation from its first batch on.
    private func begin(
        _ incarnation: UInt64, of stream: StreamState, sender: SenderID?, isClaim: Bool, now: Moment
    ) {
        counters[.newIncarnations] += 1
        if origins[stream.key.origin].loggedStart != incarnation {
            // Logged once for an origin, not for each of its topics, which may be very many.
            origins[stream.key.origin].loggedStart = incarnation
            notice(.newIncarnation, ["origin": stream.key.origin, "topic": stream.key.topic.description])
        }
        keepFormerStart(of: stream, before: incarnation, sender: sender, isClaim: isClaim, now: now)
        stream.incarnation = incarnation
        stream.holdsOlderIncarnation = true
        stream.holdsUntold = true
        origins[stream.key.origin].mayHaveFormer = true
        audits.noteUncopied(stream.type, at: now.uptimeMicroseconds)
        stream.beginning.isRestored = false
        stream.clockPause = nil
        // Batches of the earlier start that were missing are missing still.
        stream.unfollowed = (stream.missing ?? stream.unfollowed).map { (0, $0.since) }
        stream.missing = nil
        stream.tracker = SequenceTracker()
        stream.olderBatchCount = 0
        stream.holeSince = nil
        // The repair of the older start ends: what was missing comes with the snapshot of the newer one, if any sender
        // has it.
        if stream.repair != nil { finish(stream, by: .superseded, now: now) }
        // The new batches do not have what the origin had before, so a copy is taken over. A pushed start needs no
        // snapshot: it begins with its first batch.
        if let sender { takeOver(stream, from: sender, now: now) }
    }

    /// How many batches of an older incarnation, sent after the newer one began, show that both processes run.
    static let conflictBatchCount = 16
}

extension Span<UInt8> {
    /// The bytes as an array.
    package var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

    package func isEqual(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

extension UInt64 {
    func subtractingOrZero(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }

    /// The sum, or the greatest number where it is greater.
    func addingOrMax(_ other: UInt64) -> UInt64 {
        let (sum, isPast) = addingReportingOverflow(other)
        return isPast ? .max : sum
    }

    /// The product, or the greatest number where it is greater.
    func multipliedOrMax(by other: UInt64) -> UInt64 {
        let (product, isPast) = multipliedReportingOverflow(by: other)
        return isPast ? .max : product
    }
}
