import ModelWire

extension Replica {
    /// A random delay before a request. A thousand replicas that miss the same batch, or learn of the same later start,
    /// know nothing of each other, and would ask all at once.
    ///
    /// A snapshot costs its sender much, so it may be put off for long. A replay costs little, and brings what was lost
    /// soon.
    func jitter(before rung: Repair.Rung, of stream: StreamState) -> UInt64 {
        let longest = configuration.repairJitterMax.wholeMicroseconds
        let isCrowded = streams.unsettled.repairCount(beside: stream) >= Replica.crowdCount
        let spread = rung == .snapshot || isCrowded ? longest : longest / Replica.replayJitterPart
        return spread == 0 ? 0 : UInt64.random(in: 0...spread, using: &requests.generator)
    }

    /// How many repairs because of one sender count as many: then many replicas are likely to ask at once.
    private static let crowdCount = 4
    /// The longest jitter divided by this is the longest delay of a replay.
    private static let replayJitterPart: UInt64 = 20

    /// Goes over from replays to a snapshot.
    func fallBack(_ stream: StreamState, now: Moment) {
        stream.repair?.rung = .snapshot
        stream.repair?.dueAt = now.uptimeMicroseconds + jitter(before: .snapshot, of: stream)
    }

    /// Starts the repairs whose grace has passed, and sends the requests that are due: for the streams of each sender
    /// as many as a tick has time for.
    func driveRepairs(now: Moment) {
        guard !streams.unsettled.isEmpty else { return }
        let time = now.uptimeMicroseconds
        let grace = configuration.holeGrace.wholeMicroseconds
        for queue in streams.unsettled.queueIndices {
            let turn = streams.unsettled.turn(of: queue)
            var startsLeft = Replica.startCountMax
            for stream in turn {
                if stream.beginning.isAwaited { reviewBeginning(of: stream, now: now) }
                if startsLeft > 0, let since = stream.holeSince, time >= since + grace, time >= stream.clockPause ?? 0 {
                    startRepair(stream, finding: stream.clockPause == nil ? stream.holeFinding : .clock, now: now)
                    startsLeft -= 1
                }
                guard let dueAt = stream.repair?.dueAt, time >= dueAt else { continue }
                if stream.repair?.request != nil {
                    counters[.repairTimeouts] += 1
                    fail(stream, .silence, now: now)
                }
                advance(stream, now: now)
            }
            streams.unsettled.end(turn, of: queue)
        }
    }

    /// Sends the next request of a repair, if there is a sender to ask.
    func advance(_ stream: StreamState, now: Moment) {
        guard let repair = stream.repair, repair.request == nil, now.uptimeMicroseconds >= repair.dueAt else { return }
        if repair.finding == .transaction, !isAwaiting(stream, repair) { return finish(stream, by: .filled, now: now) }
        guard let sender = nextSender(for: stream, repair) else {
            // The next sender that becomes live is asked at once.
            stream.repair?.dueAt = now.uptimeMicroseconds + configuration.repairPauseMicroseconds
            return
        }
        if repair.rung == .replay, stream.tracker.missingCount > UInt64(configuration.replayMax) {
            fallBack(stream, now: now)
            return advance(stream, now: now)
        }
        if stream.repair?.rung == .snapshot { return requestSnapshot(of: stream, from: sender, now: now) }
        guard let gap = nextGap(of: stream, countMax: UInt64(configuration.replayBatchCount)) else {
            return replayed(stream, now: now)
        }
        guard mayAsk(sender, stream, now: now) else { return }
        requestReplay(of: gap, stream, from: sender, now: now)
    }

    /// The transaction that the repair is for is still held in parts.
    func isAwaiting(_ stream: StreamState, _ repair: Repair) -> Bool {
        repair.transaction.map { groups.holds(stream.key.origin, $0) } ?? false
    }

    private func nextSender(for stream: StreamState, _ repair: Repair) -> SenderID? {
        let candidates = askable(stream, repair).map { sender in
            Repair.Candidate(
                sender: sender, head: stream.head(toldBy: sender) ?? 0,
                isOrigin: isOrigin(sessions[sender.index], stream.key.origin))
        }
        return repair.choose(
            among: candidates, last: stream.sender, head: stream.tracker.head,
            isOriginLive: isPresent(stream.key.origin))
    }

    /// The senders that a repair may ask. What an origin had before it started anew is asked of the origin itself where
    /// it is a sender: a relay may not have it yet.
    func askable(_ stream: StreamState, _ repair: Repair) -> [SenderID] {
        let able = stream.tellers.map(\.sender).filter { sessions[$0.index].isSynced }
        guard repair.finding == .newIncarnation else { return able }
        let own = able.filter { isOrigin(sessions[$0.index], stream.key.origin) }
        return own.isEmpty && !(stream.beginning.isAwaited && hears(stream.key.origin)) ? able : own
    }

    /// Takes note that the copy of the sender does not hold what a head has promised. The copies of the other senders
    /// are asked for next; when all have been, the repair begins again, ever more rarely.
    func lacking(_ stream: StreamState, at sender: SenderID, now: Moment) {
        noteFruitless(stream, at: sender)
        guard let repair = stream.repair else { return }
        let next = stream.repair?.lack(at: sender, askable: askable(stream, repair), at: now.uptimeMicroseconds)
        follow(next, stream, now: now)
    }

    private func follow(_ next: Repair.Next?, _ stream: StreamState, now: Moment) {
        switch next {
        case nil, .ask: break
        case .pause:
            let attempts = stream.repair?.attempts ?? 1
            stream.repair?.dueAt = now.uptimeMicroseconds + pause(after: attempts)
        case .fallBack: fallBack(stream, now: now)
        }
    }

    /// Takes note that the sender has not brought what is missing. The charge goes to this sender if it has promised
    /// that, else to the one that has.
    private func noteFruitless(_ stream: StreamState, at sender: SenderID) {
        let promising = stream.tellers.first { teller in
            teller.incarnation == stream.incarnation && teller.head.map { $0 >= stream.tracker.head } ?? false
        }
        let hasPromised = stream.head(toldBy: sender) ?? 0 >= stream.tracker.head
        let paying = hasPromised ? sender : promising?.sender ?? sender
        sessions[paying.index].budget.noteFruitless()
    }

    /// How long the answer to a request is waited for after so many that have failed.
    func patience(_ attempts: Int) -> UInt64 {
        configuration.requestTimeout.wholeMicroseconds << UInt64(min(attempts, 3))
    }

    /// Takes note that a request has brought nothing, and chooses what is tried next: another sender, then the next
    /// rung, then a pause.
    func fail(_ stream: StreamState, _ failure: Repair.Failure, now: Moment) {
        guard let repair = stream.repair, let request = repair.request else { return }
        requests.end(request.rid)
        if failure == .silence || failure == .refused { noteFruitless(stream, at: request.sender) }
        if failure == .silence { send(.cancel(rid: request.rid), to: request.sender) }
        let next = stream.repair?.fail(failure, askable: askable(stream, repair), at: now.uptimeMicroseconds)
        follow(next, stream, now: now)
    }

    /// The pause after so many failures: it grows with each up to a limit, and half of it is chance, so that many
    /// replicas do not come back together.
    func pause(after attempts: Int) -> UInt64 {
        let full = min(
            Replica.pauseMicroseconds << UInt64(min(attempts, 16)),
            max(configuration.repairPauseMicroseconds, 1))
        let range = full / 2...full
        return UInt64.random(in: range, using: &requests.generator)
    }

    /// About the first pause.
    static let pauseMicroseconds: UInt64 = 100_000

    /// Ends a repair, which was mended in this way.
    func finish(_ stream: StreamState, by mending: Mending, now: Moment) {
        guard let repair = stream.repair else { return }
        if let request = repair.request {
            requests.end(request.rid)
            send(.cancel(rid: request.rid), to: request.sender)
        }
        stream.repair = nil
        streams.unsettled.noteRepairEnd(of: stream)
        stream.since = now.uptimeMicroseconds
        noteMended(stream, by: mending, foundAt: repair.foundAt, now: now)
        noticeHole(stream, finding: .headBeyondApplied, now: now)
    }

    func noteMended(_ stream: StreamState, by mending: Mending, foundAt: UInt64, now: Moment) {
        let took = now.uptimeMicroseconds.subtractingOrZero(foundAt)
        stream.account.mended[mending, default: 0] += 1
        stream.account.lastMending = mending
        stream.account.lastMicroseconds = took
        counters[mending.counter] += 1
        notice(
            .holeMended,
            [
                "origin": stream.key.origin, "topic": stream.key.topic.description, "by": mending.rawValue,
                "found": stream.account.lastFinding?.rawValue ?? "", "took_ms": "\(took / 1000)",
            ])
    }
}

extension Mending {
    var counter: Counters.Name {
        switch self {
        case .filled: .holesFilled
        case .replay: .holesMendedByReplay
        case .snapshot: .holesMendedBySnapshot
        case .quarantine: .holesMendedByQuarantine
        case .buckets: .holesMendedByBuckets
        case .anew: .holesMendedAnew
        case .superseded: .holesSuperseded
        }
    }
}
