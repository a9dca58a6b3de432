import ModelWire

extension Replica {
    /// Does what is due: time-outs, repairs, reports. Call it every few milliseconds, at the latest at
    /// ``nextDeadline(now:)``.
    public func tick(now: Moment) {
        errors.clock = now.wallMilliseconds
        startAnewAfterStandstill(now: now)
        for session in sessions { checkDeadlines(session.id, now: now) }
        driveStarts(now: now)
        driveRepairs(now: now)
        driveGroups(now: now)
        driveAudits(now: now)
        driveRenewal(now: now)
        driveLeases(now: now)
        driveFetches(now: now)
        sweepTombstones(now: now)
        if upkeep.takesReview(every: configuration.reportInterval, now: now) {
            reviewStaleness(now: now)
            reviewClocks(now: now)
            reviewClaims(now: now)
            reviewSignedHeads(now: now)
        }
        for session in sessions { reportIfDue(session, now: now) }
    }

    /// When ``tick(now:)`` next has something to do, on the clock of ``Moment/uptimeMicroseconds``.
    public func nextDeadline(now: Moment) -> UInt64 {
        var next = now.uptimeMicroseconds + configuration.reportInterval.wholeMicroseconds
        for session in sessions {
            next = min(next, session.nextDeadline(silentIntervals: configuration.silentIntervals))
        }
        // A long list is worked off in parts, one in each tick.
        if streams.unsettled.areMany || origins.isAnyStartUnderWay { next = now.uptimeMicroseconds }
        for stream in streams.unsettled.few {
            if let since = stream.holeSince {
                next = min(next, max(since + configuration.holeGrace.wholeMicroseconds, stream.clockPause ?? 0))
            }
            if let repair = stream.repair { next = min(next, repair.dueAt) }
        }
        next = min(next, audits.nextDeadline, nextFetchDeadline, leases.nextStep ?? .max)
        if let deadline = groups.nextDeadline { next = min(next, max(deadline, now.uptimeMicroseconds + 10_000)) }
        return next
    }

    /// A report goes to a sender once every interval, and at once when the state has changed.
    private func reportIfDue(_ session: SenderSession, now: Moment) {
        guard session.handShake.isWelcomed else { return }
        let state = state(of: session.id)
        if now.uptimeMicroseconds < session.nextReport {
            guard state != session.reportedState, session.budget.takeReport(at: now.uptimeMicroseconds) else { return }
        }
        session.nextReport = now.uptimeMicroseconds + configuration.reportInterval.wholeMicroseconds
        session.reportedState = state
        var names: [String: UInt64] = [:]
        for (name, value) in counters.nonZero { names[name.label] = value }
        let report = ReplicaReport(
            state: state.rawValue, applied: appliedHeads(of: session),
            lagMilliseconds: streams.values.lazy.map(\.lastBatchLagMilliseconds).max() ?? 0,
            streams: troubledStreams(of: session, now: now), counters: names)
        send(.report(rid: requests.take(), report: report), to: session.id)
    }

    /// The streams of the sender that are not live, those that have been so for longest first, as many as a report has.
    private func troubledStreams(of session: SenderSession, now: Moment) -> [ReplicaReport.Stream] {
        // The first few are kept in order by insertion: the streams may be too many to be sorted as a whole.
        var first: [StreamState] = []
        for origin in session.origins {
            for stream in streams.of(origin: origin)
            where stream.staleSince != nil || stream.isMending || audits.isRepairing(stream.type) {
                let isFull = first.count == ReplicaReport.streamCountMax
                if isFull, let last = first.last, !isFirst(stream, last) { continue }
                let position = first.firstIndex { isFirst(stream, $0) } ?? first.count
                first.insert(stream, at: position)
                if first.count > ReplicaReport.streamCountMax { first.removeLast() }
            }
        }
        return first.map { stream in
            let state = state(of: stream, now: now)
            let reason = (reason(of: stream, state) ?? "").unicodeScalars.prefix(ReplicaReport.reasonByteCountMax / 4)
            return ReplicaReport.Stream(
                origin: stream.key.origin, topic: stream.key.topic, state: state.rawValue,
                milliseconds: now.uptimeMicroseconds.subtractingOrZero(stream.since) / 1000,
                reason: String(String.UnicodeScalarView(reason)))
        }
    }

    private func isFirst(_ stream: StreamState, _ other: StreamState) -> Bool {
        stream.since == other.since ? stream.precedes(other) : stream.since < other.since
    }

    /// The applied heads of each origin that the sender speaks for, as many as fit into one report.
    private func appliedHeads(of session: SenderSession) -> [Heads] {
        let frameByteCount = min(session.frameByteCount, configuration.limits.frameByteCount)
        var left = HeadsBudget.listByteCountMax(frameByteCount: frameByteCount)
        var result: [Heads] = []
        // The sender's own streams come first: a sender waits for reports on what it has published.
        let others = session.origins.filter { $0 != session.name && streams.follows($0) }.sorted()
        for origin in [session.name] + others {
            guard session.origins.contains(origin), let streams = streams.byOrigin[origin] else { continue }
            left -= HeadsBudget.byteCount(origin: origin)
            guard left > 0 else { break }
            var heads = Heads(
                origin: origin, incarnation: streams[0].incarnation, stamp: origins[origin].latestStamp, heads: [],
                isRelayed: true, ageMilliseconds: nil)
            for stream in streams {
                heads.stamp = max(heads.stamp, stream.lastStamp)
                guard left > 0 else { continue }
                left -= HeadsBudget.byteCount(stream.key.topic)
                guard left >= 0 else { continue }
                let head = TopicHead(topic: stream.key.topic, sequence: committed(stream.key, stream), digest: nil)
                heads.heads.append(head)
            }
            result.append(heads)
            guard left > 0 else { break }
        }
        return result
    }
}
