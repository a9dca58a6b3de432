import ModelWire

extension Replica {
    func requestReplay(of range: ClosedRange<UInt64>, _ stream: StreamState, from sender: SenderID, now: Moment) {
        let rid = requests.begin(.repair(stream), at: sender)
        stream.repair?.request = Repair.Request(
            rid: rid, sender: sender, range: range, expected: range.lowerBound)
        let attempts = stream.repair?.attempts ?? 0
        stream.repair?.dueAt = now.uptimeMicroseconds + patience(attempts)
        counters[.replaysRequested] += 1
        send(
            .replay(
                rid: rid, origin: stream.key.origin, incarnation: stream.incarnation, topic: stream.key.topic,
                first: range.lowerBound, last: range.upperBound), to: sender)
    }

    /// The stream whose repair has sent this request to the sender.
    func repairing(_ rid: UInt64, _ sender: SenderID) -> StreamState? {
        guard case .repair(let stream)? = requests.purpose(of: rid, at: sender),
            stream.repair?.request?.rid == rid
        else { return nil }
        return stream
    }

    /// Takes a batch of a replay. A batch that was not asked for is dropped and counted: the sender may mean harm.
    func receiveFrame(_ sender: SenderID, rid: UInt64, topic: Topic, batch: [UInt8], now: Moment) {
        guard let stream = repairing(rid, sender), stream.repair?.rung == .replay,
            let request = stream.repair?.request, topic == stream.key.topic
        else {
            counters[.unaskedReplies] += 1
            return
        }
        do throws(WireError) {
            try decoder.decode(batch.span)
        } catch {
            counters[.malformedFrames] += 1
            return quarantine(request.expected, of: stream, error, sender: sender, now: now)
        }
        guard isAllowed(stream.key, of: sender) else { return }
        guard isGenuine(StreamKey(origin: decoder.origin, topic: topic), batch.span, of: sender, now: now) else {
            return endReplay(of: stream, rid, sender, now: now)
        }
        guard decoder.origin == stream.key.origin, decoder.incarnation == stream.incarnation,
            request.range.contains(decoder.sequence)
        else {
            counters[.unaskedReplies] += 1
            return
        }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        sessions[sender.index].budget.noteFruit()
        guard clockGuard.isYoung(max(decoder.incarnation, decoder.lastStamp), now: now) else {
            return takeCopyInstead(of: stream, rid, sender, now: now)
        }
        counters[.replayedBatches] += 1
        stream.repair?.request?.expected = decoder.sequence &+ 1
        stream.repair?.attempts = 0
        stream.repair?.hasReplayed = true
        stream.repair?.dueAt = now.uptimeMicroseconds + patience(0)
        countDecoded()
        accept(batch.span, of: stream, isCurrent: true, sender: sender, now: now)
    }

    /// Ends a replay that brings what the origin has not signed: whoever sends that has nothing to be waited for.
    private func endReplay(of stream: StreamState, _ rid: UInt64, _ sender: SenderID, now: Moment) {
        send(.cancel(rid: rid), to: sender)
        refusedReplay(stream, now: now)
    }

    /// Ends a replay that brings an old batch, and goes over to a snapshot: what the batch writes may be deleted, and
    /// the delete forgotten here. The copy of the sender tells.
    private func takeCopyInstead(of stream: StreamState, _ rid: UInt64, _ sender: SenderID, now: Moment) {
        counters[.expiredBatches] += 1
        send(.cancel(rid: rid), to: sender)
        requests.end(rid)
        stream.repair?.request = nil
        stream.repair?.failed = []
        fallBack(stream, now: now)
    }

    /// Leaves out a batch that is malformed also when it is sent again. The topic is taken from a sender's copy when
    /// the replay is through.
    private func quarantine(
        _ sequence: UInt64, of stream: StreamState, _ error: WireError, sender: SenderID, now: Moment
    ) {
        guard let range = stream.repair?.request?.range, range.contains(sequence) else {
            counters[.unaskedReplies] += 1
            return
        }
        stream.repair?.request?.expected = sequence &+ 1
        stream.repair?.dueAt = now.uptimeMicroseconds + patience(0)
        guard !stream.tracker.contains(sequence),
            stream.repair?.quarantine(sequence, atMost: configuration.replayMax, tracker: stream.tracker) ?? false
        else { return }
        stream.account.quarantined += 1
        stream.account.quarantinedSequences.append(sequence)
        if stream.account.quarantinedSequences.count > RepairAccount.quarantinedSequencesMax {
            stream.account.quarantinedSequences.removeFirst()
        }
        counters[.quarantinedBatches] += 1
        notice(
            .quarantined,
            [
                "sender": label(sender), "origin": stream.key.origin, "topic": stream.key.topic.description,
                "sequence": "\(sequence)", "reason": error.description,
            ])
    }

    /// Ends a request whose sender has sent what it had of the range, or what fits into one answer. The rest is asked
    /// for next.
    func completeReplay(_ stream: StreamState, now: Moment) {
        guard let request = stream.repair?.request else { return }
        sessions[request.sender.index].lastHeard = now.uptimeMicroseconds
        if let pause = stream.clockPause, pause > now.uptimeMicroseconds { return rest(stream, until: pause) }
        let gap = nextGap(of: stream, countMax: UInt64(configuration.replayBatchCount))
        guard gap?.lowerBound != request.range.lowerBound else { return refusedReplay(stream, now: now) }
        requests.end(request.rid)
        stream.repair?.request = nil
        stream.repair?.failed = []
        stream.repair?.dueAt = now.uptimeMicroseconds
        advance(stream, now: now)
    }

    /// Puts the repair off, because what came was rejected for its stamp.
    func rest(_ stream: StreamState, until time: UInt64) {
        if let rid = stream.repair?.request?.rid { requests.end(rid) }
        stream.repair?.request = nil
        stream.repair?.failed = []
        stream.repair?.dueAt = time
    }

    /// Takes note that the sender does not have the batches, or not all of them.
    func refusedReplay(_ stream: StreamState, now: Moment) {
        fail(stream, .refused, now: now)
        advance(stream, now: now)
    }

    /// The first missing sequences in a row, without those that stayed malformed.
    func nextGap(of stream: StreamState, countMax: UInt64) -> ClosedRange<UInt64>? {
        let quarantined = stream.repair?.quarantined ?? []
        var start: UInt64 = 1
        while let gap = stream.tracker.gap(from: start, countMax: countMax) {
            guard let first = gap.first(where: { !quarantined.contains($0) }) else {
                guard gap.upperBound < .max else { return nil }
                start = gap.upperBound + 1
                continue
            }
            let next = (first...gap.upperBound).first { quarantined.contains($0) }
            return first...(next.map { $0 - 1 } ?? gap.upperBound)
        }
        return nil
    }

    /// Ends the replays, because nothing is missing that a replay can bring.
    func replayed(_ stream: StreamState, now: Moment) {
        guard let repair = stream.repair else { return }
        if stream.tracker.hasHole {
            fallBack(stream, now: now)
            advance(stream, now: now)
        } else {
            finish(stream, by: repair.hasReplayed ? .replay : .filled, now: now)
        }
    }
}
