extension Replica {
    /// The state towards one sender.
    public func state(of sender: SenderID) -> ReplicaState {
        let session = sessions[sender.index]
        if session.handShake.isStale { return .stale }
        switch session.handShake.step {
        case .disconnected, .greeting: return .connecting
        case .barrier, .snapshot: return .syncing
        case .synced:
            let isMending =
                renewal != nil || audits.isRepairing(from: sender) || !session.ahead.isEmpty
                || streams.unsettled.areMending(of: sender)
            return isMending ? .repairing : .live
        }
    }

    /// The last sequence up to which everything is in the cache.
    func committed(_ key: StreamKey, _ stream: StreamState) -> UInt64 {
        let firstHeld = groups.firstHeld(key, of: stream.incarnation)
        return firstHeld.map { min(stream.tracker.applied, $0 - 1) } ?? stream.tracker.applied
    }

    /// All senders, in the order in which they were added.
    public func senderStatus(now: Moment) -> [SenderStatus] {
        sessions.map { session in
            SenderStatus(
                sender: session.id, name: session.name, state: state(of: session.id),
                lasted: .microseconds(now.uptimeMicroseconds.subtractingOrZero(session.handShake.since)),
                silent: .microseconds(now.uptimeMicroseconds.subtractingOrZero(session.lastHeard)),
                lastError: session.lastError, wasLive: session.handShake.wasLive,
                contradictedHeads: session.credit.contradictionCount)
        }
    }

    /// The errors and refusals of senders since the start.
    public var distinctErrors: DistinctErrors { errors }

    /// All streams, by origin and topic.
    public func streamStatus(now: Moment) -> [StreamStatus] {
        streams.inOrder().map { stream in
            let state = toldState(of: stream, now: now)
            let account = stream.account
            let stale = now.uptimeMicroseconds.subtractingOrZero(stream.staleSince ?? now.uptimeMicroseconds)
            return StreamStatus(
                origin: stream.key.origin, topic: stream.key.topic, incarnation: stream.incarnation, state: state,
                lasted: .microseconds(now.uptimeMicroseconds.subtractingOrZero(stream.since)),
                head: max(stream.tracker.head, stream.tracker.applied), applied: committed(stream.key, stream),
                missing: stream.tracker.missingCount, hasOpenHole: hasOpenHole(stream),
                reason: reason(of: stream, state), holesFound: account.found, holesMended: account.mended,
                lastRepair: account.lastMicroseconds.map { .microseconds($0) },
                longestStale: .microseconds(max(account.longestStaleMicroseconds, stale)),
                quarantined: account.quarantined, quarantinedSequences: account.quarantinedSequences)
        }
    }

    private func hasOpenHole(_ stream: StreamState) -> Bool {
        stream.repair != nil || audits.isRepairing(stream.type)
            || renewal?.witnesses.contains { $0.stream === stream } ?? false
    }

    func reason(of stream: StreamState, _ state: ReplicaState) -> String? {
        switch state {
        case .stale:
            guard !stream.tellers.isEmpty else { return "from the store: no sender has told of it yet" }
            let faults = stream.tellers.compactMap { sessions[$0.sender.index].lastError }
            return faults.first ?? "the relay has not heard of the origin"
        case .repairing:
            if let repair = stream.repair { return repair.finding.rawValue }
            if stream.tellers.isEmpty { return Finding.batchBeyondNext.rawValue }
            if isAhead(stream.key.origin) { return Finding.clock.rawValue }
            let finding = stream.holeSince == nil ? stream.account.lastFinding : stream.holeFinding
            return finding?.rawValue
        case .connecting, .syncing, .live:
            guard let finding = stream.account.lastFinding else { return nil }
            guard let mending = stream.account.lastMending else { return finding.rawValue }
            return "\(finding.rawValue), mended by \(mending.rawValue)"
        }
    }

    /// The state of one stream: that of its freshest sender, or its own where it is being repaired.
    func state(of stream: StreamState, now: Moment) -> ReplicaState {
        state(of: stream) { isOverdue(stream.key.origin, at: $0, now: now) }
    }

    /// The state for people. An origin that only pushes is heard of when it writes, and between two writes there is
    /// nothing that could be missing, so its silence makes nothing old. For whom to believe it counts all the same.
    private func toldState(of stream: StreamState, now: Moment) -> ReplicaState {
        guard isOnlyPushed(stream.key.origin) else { return state(of: stream, now: now) }
        return state(of: stream) { _ in false }
    }

    private func state(of stream: StreamState, isOverdue: (SenderID) -> Bool) -> ReplicaState {
        if isStale(stream, isOverdue: isOverdue) { return .stale }
        guard !stream.tellers.isEmpty else {
            // A stored batch may lie beyond one that nobody had acknowledged here.
            return stream.tracker.hasHole ? .repairing : .live
        }
        guard hasSyncedTeller(stream) else { return state(of: stream.tellers[0].sender) }
        let isMending = stream.isMending || audits.isRepairing(stream.type) || isAhead(stream.key.origin)
        return isMending ? .repairing : .live
    }

    /// Nothing fresh is known of the stream.
    private func isStale(_ stream: StreamState, isOverdue: (SenderID) -> Bool) -> Bool {
        // A stream that is only pushed depends on no sender. A restored stream is stale until a sender tells of it.
        guard !stream.tellers.isEmpty else { return !stream.isPushed }
        var isHeard = false
        for teller in stream.tellers where sessions[teller.sender.index].isSynced {
            isHeard = true
            if !isOverdue(teller.sender) { return false }
        }
        return isHeard || stream.tellers.contains { sessions[$0.sender.index].handShake.isStale }
    }

    /// The sender has not heard of the origin for more than `silentIntervals` of its heartbeats.
    func isOverdue(_ origin: String, at sender: SenderID, now: Moment) -> Bool {
        let limit = sessions[sender.index].heartbeatMicroseconds * UInt64(configuration.silentIntervals)
        return silence(of: origin, at: sender, now: now.uptimeMicroseconds).map { $0 > limit } ?? false
    }

    /// How long ago the sender has heard of the origin, in microseconds; nil where it has never told.
    func silence(of origin: String, at sender: SenderID, now: UInt64) -> UInt64? {
        guard let told = sessions[sender.index].ages[origin] else { return nil }
        return told.milliseconds.multipliedOrMax(by: 1000).addingOrMax(now.subtractingOrZero(told.at))
    }

    /// Notes which streams have become stale, and which are fresh again, and logs each change once, by origin.
    func reviewStaleness(now: Moment) {
        var stale: [String: [StreamState]] = [:]
        var fresh: [String: (count: Int, lasted: UInt64)] = [:]
        for (origin, streams) in streams.byOrigin {
            let overdue = sessions.map { isOverdue(origin, at: $0.id, now: now) }
            for stream in streams {
                let isStale = isStale(stream) { overdue[$0.index] }
                if isStale, stream.staleSince == nil {
                    stream.staleSince = now.uptimeMicroseconds
                    stream.since = now.uptimeMicroseconds
                    stale[stream.key.origin, default: []].append(stream)
                } else if !isStale, let since = stream.staleSince {
                    let lasted = now.uptimeMicroseconds.subtractingOrZero(since)
                    stream.account.longestStaleMicroseconds = max(stream.account.longestStaleMicroseconds, lasted)
                    stream.staleSince = nil
                    stream.since = now.uptimeMicroseconds
                    let before = fresh[stream.key.origin] ?? (0, 0)
                    fresh[stream.key.origin] = (before.count + 1, max(before.lasted, lasted))
                }
            }
        }
        tell(.streamsStale, stale) { streams in
            ["streams": "\(streams.count)", "reason": reason(of: streams[0], .stale) ?? ""]
        }
        tell(.streamsFresh, fresh) { ["streams": "\($0.count)", "stale_ms": "\($0.lasted / 1000)"] }
    }

    /// Logs one line for each origin; past `toldOriginCountMax` origins, one line for all others.
    private func tell<Value>(_ kind: Notice.Kind, _ origins: [String: Value], _ metadata: (Value) -> [String: String]) {
        let names = origins.keys.sorted()
        for name in names.prefix(Replica.toldOriginCountMax) {
            guard let value = origins[name] else { continue }
            notice(kind, metadata(value).merging(["origin": name]) { first, _ in first })
        }
        let rest = names.count - Replica.toldOriginCountMax
        if rest > 0 { notice(kind, ["origins": "\(rest) more"]) }
    }

    /// How many origins have a log line of their own when many change at once.
    static let toldOriginCountMax = 16
}
