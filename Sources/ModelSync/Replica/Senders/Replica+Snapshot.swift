@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

extension Replica {
    /// Asks for a snapshot of the topic of a stream.
    ///
    /// Where there are transactions over several topics, all prefixes are asked for: one cut, which becomes visible in
    /// one step, shows every transaction whole. Less would not do: the records of a topic carry what others have
    /// written to the same models, and a transaction may reach a topic of which nothing has been heard yet.
    func requestSnapshot(of stream: StreamState, from sender: SenderID, now: Moment) {
        var prefixes = [stream.key.topic]
        let isGrouped = origins.hasTransactions
        if isGrouped {
            // One such snapshot mends all streams, so the second stream that needs one waits for the first.
            let other = streams.unsettled.wholeRepair?.repair
            let isUnderWay = other?.rung == .snapshot && other?.request?.isWhole == true
            // A snapshot of another sender, which may be slow, is not waited for.
            guard streams.unsettled.wholeRepair === stream || !isUnderWay || other?.request?.sender != sender else {
                stream.repair?.dueAt = now.uptimeMicroseconds + Replica.pauseMicroseconds
                return
            }
            prefixes = self.prefixes
        }
        guard mayAsk(sender, stream, now: now) else { return }
        if isGrouped { streams.unsettled.wholeRepair = stream }
        let rid = requests.begin(.repair(stream), at: sender)
        stream.repair?.request = Repair.Request(
            rid: rid, sender: sender, prefixes: prefixes, isWhole: isGrouped, staging: Staging())
        stream.repair?.request?.promised = promise(of: sender, stream)
        let attempts = stream.repair?.attempts ?? 0
        stream.repair?.dueAt = now.uptimeMicroseconds + patience(attempts)
        askForCopy(prefixes, rid, of: sender)
    }

    /// Takes a chunk of a snapshot.
    /// - Parameter goesOn: the only record is a part, with which the next chunk goes on.
    func receiveRecords(
        _ sender: SenderID, rid: UInt64, type: String, records: [CellRecord], goesOn: Bool, now: Moment
    ) {
        var stream: StreamState?
        var fetched: UInt64?
        if sessions[sender.index].handShake.step == .snapshot(rid: rid) {
            sessions[sender.index].handShake.goOn(at: now.uptimeMicroseconds)
        } else if let repaired = repairing(rid, sender), repaired.repair?.rung == .snapshot {
            repaired.repair?.dueAt = now.uptimeMicroseconds + patience(3)
            stream = repaired
        } else if case .audit(let audited)? = requests.purpose(of: rid, at: sender), audited == type {
            audits[type]?.dueAt = now.uptimeMicroseconds + patience(3)
        } else if case .fetch(let number)? = requests.purpose(of: rid, at: sender) {
            fetched = number
        } else if renewal?.isRequest(rid, sender) ?? false {
            renewal?.noteProgress(rid, of: sender, dueAt: now.uptimeMicroseconds + patience(3))
        } else {
            return
        }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        let allowed = admits(type, of: .sender(sender)) ? allowed(records, type: type, of: sender) : []
        let accepted = allowed.filter { !clockGuard.isTooFarAhead($0.lastStamp, now: now) }
        if accepted.count < allowed.count {
            counters[.clockRejectedRecords] += UInt64(allowed.count - accepted.count)
            sessions[sender.index].hasRejectedRecords = true
            stream?.repair?.request?.rejectedTypes.insert(type)
            if renewal?.isRequest(rid, sender) ?? false { renewal?.noteRejected(of: sender) }
        }
        if let fetched {
            let byteCount = accepted.reduce(0) { $0 + $1.byteCount }
            noteFetched(
                fetched, byteCount: byteCount, hasRejected: accepted.count < allowed.count, rid: rid, of: sender,
                now: now)
            guard requests.contains(rid) else { return }
        }
        counters[.snapshotRecords] += UInt64(accepted.count)
        if goesOn { forgetParts(of: sender) }
        // The parts of a model wait for the last one, so that no reader sees half of a model.
        for chunk in sessions[sender.index].parted.take(rid, type: type, accepted, goesOn: goesOn) {
            deliver(chunk, of: sender, rid: rid, now: now)
        }
        send(.credit(rid: rid, count: 1), to: sender)
    }

    /// Forgets the parts of requests to a sender whose answer is not awaited any more.
    func forgetParts(of sender: SenderID) {
        let (requests, renewal, step) = (requests, renewal, sessions[sender.index].handShake.step)
        sessions[sender.index].parted.keep { rid in
            step == .snapshot(rid: rid) || requests.contains(rid) || renewal?.isRequest(rid, sender) ?? false
        }
    }

    /// Hands whole records to the renewal, audit, repair or session that has asked for them.
    private func deliver(_ chunk: RecordChunk, of sender: SenderID, rid: UInt64, now: Moment) {
        if renewal?.isRequest(rid, sender) ?? false {
            renewal?.cache.commit { commit in take([chunk], into: &commit) }
        } else if case .audit? = requests.purpose(of: rid, at: sender) {
            keepFetched(chunk.records, type: chunk.type, now: now)
        } else if case .fetch(let number)? = requests.purpose(of: rid, at: sender) {
            keep(chunk.records, type: chunk.type, of: number)
        } else {
            take(chunk.records, type: chunk.type, of: sender, rid: rid, repairing(rid, sender), now: now)
        }
    }

    /// Joins records, or stages them.
    private func take(
        _ records: [CellRecord], type: String, of sender: SenderID, rid: UInt64, _ stream: StreamState?, now: Moment
    ) {
        // No transaction shows by ids alone, so they wait for nothing.
        guard !isLazy else {
            join([(type, records)], askedFor: rid, now: now)
            return
        }
        sessions[sender.index].holdsUncovered = true
        // Taken out while it changes, so that it is not copied.
        var staging: Staging?
        if let stream {
            staging = stream.repair?.request?.staging
            stream.repair?.request?.staging = nil
        } else {
            staging = sessions[sender.index].staging
            sessions[sender.index].staging = nil
        }
        guard staging != nil else {
            join([(type, records)], askedFor: rid, now: now)
            return
        }
        staging?.add(records, type: type)
        if let full = staging, full.isFull {
            if origins.hasTransactions {
                counters[.unstagedSnapshots] += 1
                notice(.unstaged, ["sender": label(sender), "bytes": "\(Staging.byteCountMax)"])
            }
            join(full.chunks, askedFor: rid, now: now)
            return
        }
        if let stream {
            stream.repair?.request?.staging = staging
        } else {
            sessions[sender.index].staging = staging
        }
    }

    /// Joins records, and merges parts of transactions, in one step.
    /// - Parameter rid: the number of the request that has brought the records.
    /// - Returns: how many updates and records changed anything, and the topics of the parts that did.
    @discardableResult
    func join(
        _ chunks: [RecordChunk], askedFor rid: UInt64? = nil, and held: [[GroupAssembler.Part]] = [], now: Moment
    ) -> (changed: Int, topics: Set<Topic>) {
        guard !chunks.isEmpty || !held.isEmpty else { return (0, []) }
        let (news, summary) = cache.commit { commit in
            // Transactions first: after the records a batch would change nothing, and would not count as news.
            let news = held.map { apply($0, to: &commit) }
            take(chunks, into: &commit)
            return news
        }
        leases.noteArrivals()
        if let renewal {
            let young = held.map { keepYoung($0, now: now) }
            renewal.cache.commit { commit in
                for parts in young { apply(parts, to: &commit) }
                if let rid, rid >= renewal.firstRID { take(chunks, into: &commit) }
            }
        }
        if chunks.isEmpty {
            count(BatchSummary(summary), batches: UInt64(held.reduce(0) { $0 + $1.count }))
        } else {
            counters[.conflictingCells] += UInt64(summary.conflictingCells)
            counters[.droppedCells] += UInt64(summary.droppedCells)
            counters[.appliedBatches] += UInt64(held.reduce(0) { $0 + $1.count })
        }
        for (parts, topics) in zip(held, news) where !topics.isEmpty { forwardHeld(parts) }
        return (summary.changed, news.reduce(into: []) { $0.formUnion($1) })
    }

    /// Ends a request: a snapshot, the replay of a range, or the fetch of some buckets.
    func receiveComplete(_ sender: SenderID, rid: UInt64, heads: [Heads], now: Moment) {
        for chunk in sessions[sender.index].parted.finish(rid) { deliver(chunk, of: sender, rid: rid, now: now) }
        if sessions[sender.index].handShake.step == .snapshot(rid: rid) {
            let staging = sessions[sender.index].staging
            sessions[sender.index].staging = nil
            if sessions[sender.index].hasRejectedRecords {
                return askAgainLater(sender, staging?.chunks ?? [], rid: rid, now: now)
            }
            cover(heads, staging?.chunks ?? [], sender: sender, rid: rid, now: now) { self.isWanted($0) }
            sessions[sender.index].holdsUncovered = false
            return becomeLive(sender, copy: heads, now: now)
        }
        if renewal?.isRequest(rid, sender) ?? false {
            return completeRenewal(sender, heads: heads, now: now)
        }
        if let stream = repairing(rid, sender) {
            guard stream.repair?.rung == .snapshot else { return completeReplay(stream, now: now) }
            return completeSnapshot(stream, heads, sender: sender, now: now)
        }
        if case .audit(let type)? = requests.purpose(of: rid, at: sender) {
            completeBuckets(of: type, heads, now: now)
        } else if case .fetch(let number)? = requests.purpose(of: rid, at: sender) {
            completeFetch(number, rid: rid, of: sender, heads, now: now)
        }
    }

    /// Asks for the snapshot of a sender again after a pause, when the clocks may agree: some of its records lie too
    /// far ahead, and nothing else would bring them. The sender is not live before.
    private func askAgainLater(_ sender: SenderID, _ staged: [RecordChunk], rid: UInt64, now: Moment) {
        join(staged, askedFor: rid, now: now)
        sessions[sender.index].lastError = "records from the future"
        sessions[sender.index].handShake.pause(
            ClockGuard.pauseMicroseconds, rid: requests.take(), at: now.uptimeMicroseconds)
    }

    private func completeSnapshot(_ stream: StreamState, _ heads: [Heads], sender: SenderID, now: Moment) {
        guard let request = stream.repair?.request else { return }
        requests.end(request.rid)
        stream.repair?.request = nil
        noteOrigins(heads, of: sender, now: now)
        if !request.isWhole, request.staging != nil, origins.hasTransactions {
            // The snapshot of one topic would show halves of transactions, of which nothing had told before. All
            // prefixes are asked for.
            stream.repair?.dueAt = now.uptimeMicroseconds
            return advance(stream, now: now)
        }
        // Where records of a type were rejected for their clocks, the heads of that type promise what is not here.
        cover(heads, request.staging?.chunks ?? [], sender: sender, rid: request.rid, now: now) { topic in
            request.prefixes.contains { $0.isPrefix(of: topic) }
                && !request.rejectedTypes.contains(topic.type ?? "")
        }
        if request.rejectedTypes.isEmpty { sessions[sender.index].holdsUncovered = false }
        let told = heads.first { $0.origin == stream.key.origin && $0.incarnation == stream.incarnation }
        if let head = told?[stream.key.topic]?.sequence, request.rejectedTypes.isEmpty {
            refute(stream, at: sender, promised: request.promised, head: head, now: now)
        }
        if request.rejectedTypes.contains(stream.type), stream.repair?.request == nil {
            stream.repair?.dueAt = now.uptimeMicroseconds + ClockGuard.pauseMicroseconds
            return
        }
        guard let repair = stream.repair, repair.request == nil else { return }
        if let compared = repair.compared, compared.sender == sender {
            // A topic that was not asked for has brought nothing.
            let isTaken = compared.digests.keys.allSatisfy { topic in
                request.prefixes.contains { $0.isPrefix(of: topic) }
            }
            if isTaken {
                noteJoined(
                    compared.digests, of: stream.type, toldBy: sender, foundAt: repair.foundAt, now: now)
            }
            stream.repair?.compared = nil
        }
        let isLacking =
            isAwaiting(stream, repair) || (repair.finding.isMissingSequences && stream.tracker.hasHole)
        if isLacking || (repair.finding == .newIncarnation && stream.beginning.isAwaited) {
            return lacking(stream, at: sender, now: now)
        }
        sessions[sender.index].budget.noteFruit()
        finish(stream, by: repair.mendingByCopy, now: now)
    }

    /// Takes note that a snapshot holds everything up to these heads. Its staged records become visible together with
    /// the transactions that it has made whole.
    private func cover(
        _ heads: [Heads], _ staged: [RecordChunk], sender: SenderID, rid: UInt64, now: Moment,
        where isCovered: (Topic) -> Bool
    ) {
        var covered: [StreamState] = []
        var whole: [[GroupAssembler.Part]] = []
        var skipped: Set<String> = []
        var wasMissingLong = false
        for told in heads where noteOrigin(told, of: sender, now: now) {
            let word = word(sender, on: told, now: now)
            guard word != .ignored else { continue }
            if word == .own { decideStart(told, now: now) }
            whole += groups.covered(by: told, where: isCovered)
            for head in told.heads where isCovered(head.topic) {
                let key = StreamKey(origin: told.origin, topic: head.topic)
                let met = meet(
                    key, incarnation: told.incarnation, sender: sender, isClaim: word == .heard, now: now)
                guard let stream = met, stream.incarnation == told.incarnation else { continue }
                wasMissingLong = wasMissingLong || isLate(stream, head.sequence, now: now)
                if isLazy, stream.tracker.applied < head.sequence || stream.beginning.isAwaited {
                    skipped.insert(stream.type)
                }
                stream.unfollowed = nil
                cover(stream, through: head.sequence, word: word, of: sender, now: now)
                covered.append(stream)
                // A relay may have got only some parts of a transaction of a job.
                guard !told.isPushed else { continue }
                whole += groups.covered(
                    head.topic, origin: told.origin, through: told.isRelayed ? nil : told.stamp)
            }
        }
        join(staged, askedFor: rid, and: whole, now: now)
        for type in skipped.sorted() { reviewHeld(of: type, now: now) }
        finishTakeovers(heads, of: sender, now: now, where: isCovered)
        for stream in covered {
            if let repair = stream.repair, repair.rung == .snapshot || repair.request == nil,
                repair.finding.isMissingSequences, !stream.tracker.hasHole
            {
                finish(stream, by: repair.mendingByCopy, now: now)
            } else {
                noticeHole(stream, finding: .headBeyondApplied, now: now)
            }
        }
        guard wasMissingLong else { return }
        // The same may hold for other topics without being known yet.
        startAnew(prefixes, reason: "something was missing for too long", now: now)
    }

    /// True when the snapshot covers what was missing for longer than deleted models are remembered: no record shows
    /// any more what may have been deleted meanwhile.
    private func isLate(_ stream: StreamState, _ head: UInt64, now: Moment) -> Bool {
        [stream.missing, stream.unfollowed].contains { gap in
            // Of an earlier start something may be missing although nothing of this one is.
            guard let (applied, since) = gap, applied == stream.tracker.applied,
                head > applied || stream.beginning.isAwaited
            else { return false }
            return now.uptimeMicroseconds.subtractingOrZero(since) > configuration.tombstoneRetention.wholeMicroseconds
        }
    }
}
