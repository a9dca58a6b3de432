import ModelWire

extension Replica {
    /// Does what is due: time-outs, repairs, reports. Call it every few milliseconds, at the latest at
    /// ``nextDeadline(now:)``.
    public func tick(now: Moment) {
        for session in sessions { checkDeadlines(session.id, now: now) }
        driveRepairs(now: now)
        driveGroups(now: now)
        driveAudits(now: now)
        driveRenewal(now: now)
        sweepTombstones(now: now)
        if now.uptimeMicroseconds >= nextReview {
            nextReview = now.uptimeMicroseconds + configuration.reportInterval.wholeMicroseconds
            reviewStaleness(now: now)
        }
        for session in sessions { reportIfDue(session.id, now: now) }
    }

    /// When ``tick(now:)`` next has something to do, on the clock of ``Moment/uptimeMicroseconds``.
    public func nextDeadline(now: Moment) -> UInt64 {
        var next = now.uptimeMicroseconds + configuration.reportInterval.wholeMicroseconds
        for session in sessions {
            if let deadline = session.deadline { next = min(next, deadline) }
            guard session.isSynced else { continue }
            let silence = session.heartbeatMicroseconds * UInt64(configuration.silentIntervals)
            next = min(next, session.lastHeard + silence, session.nextReport)
        }
        for stream in unsettled {
            if let since = stream.holeSince {
                next = min(next, max(since + configuration.holeGrace.wholeMicroseconds, stream.clockPause ?? 0))
            }
            if let repair = stream.repair { next = min(next, repair.dueAt) }
        }
        next = min(next, audits.nextDeadline)
        if let deadline = groups.nextDeadline { next = min(next, max(deadline, now.uptimeMicroseconds + 10_000)) }
        return next
    }

    /// A report goes to a sender once every interval, and at once when the state has changed.
    private func reportIfDue(_ sender: SenderID, now: Moment) {
        let session = sessions[sender.index]
        if case .disconnected = session.phase { return }
        if case .greeting = session.phase { return }
        let state = state(of: sender)
        guard now.uptimeMicroseconds >= session.nextReport || state != session.reportedState else { return }
        sessions[sender.index].nextReport = now.uptimeMicroseconds + configuration.reportInterval.wholeMicroseconds
        sessions[sender.index].reportedState = state
        var names: [String: UInt64] = [:]
        for (name, value) in counters.nonZero { names[name.rawValue] = value }
        let report = Report(
            state: state.rawValue, applied: appliedHeads(of: session),
            lagMilliseconds: streams.values.map(\.lastBatchLagMilliseconds).max() ?? 0, counters: names)
        send(.report(rid: takeRID(), report: report), to: sender)
    }

    /// What has been applied of each origin that the sender speaks for.
    private func appliedHeads(of session: SenderSession) -> [Heads] {
        var byOrigin: [String: Heads] = [:]
        for (key, stream) in streams where session.origins.contains(key.origin) {
            var heads =
                byOrigin[key.origin]
                ?? Heads(
                    origin: key.origin, incarnation: stream.incarnation, stamp: 0, heads: [], isRelayed: true,
                    ageMilliseconds: nil)
            heads.heads.append(Head(topic: key.topic, sequence: committed(key, stream), digest: nil))
            byOrigin[key.origin] = heads
        }
        return byOrigin.values.sorted { $0.origin < $1.origin }
    }
}
