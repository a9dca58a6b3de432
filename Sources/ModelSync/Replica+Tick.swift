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
            reviewClocks(now: now)
        }
        for session in sessions { reportIfDue(session.id, now: now) }
    }

    /// When ``tick(now:)`` next has something to do, on the clock of ``Moment/uptimeMicroseconds``.
    public func nextDeadline(now: Moment) -> UInt64 {
        var next = now.uptimeMicroseconds + reportMicroseconds
        // In place: asked for after each message, and to copy a session is to count its references.
        for index in sessions.indices {
            next = min(next, sessions[index].nextDeadline(silentIntervals: configuration.silentIntervals))
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
        for (name, value) in counters.nonZero { names[name.label] = value }
        let report = Report(
            state: state.rawValue, applied: appliedHeads(of: session),
            lagMilliseconds: streams.values.map(\.lastBatchLagMilliseconds).max() ?? 0,
            streams: troubledStreams(of: session, now: now), counters: names)
        send(.report(rid: takeRID(), report: report), to: sender)
    }

    /// The streams of the sender that are not live, those that have been so for longest first, as many as a report has.
    private func troubledStreams(of session: SenderSession, now: Moment) -> [Report.Stream] {
        let troubled = streams.values.filter { stream in
            (stream.staleSince != nil || stream.isMending || audits.isRepairing(stream.type))
                && session.origins.contains(stream.key.origin)
        }
        let first = troubled.sorted { left, right in
            guard left.since == right.since else { return left.since < right.since }
            guard left.key.origin == right.key.origin else { return left.key.origin < right.key.origin }
            return left.key.topic.bytes.lexicographicallyPrecedes(right.key.topic.bytes)
        }
        return first.prefix(Report.streamCountMax).map { stream in
            let state = state(of: stream, now: now)
            let reason = (reason(of: stream, state) ?? "").unicodeScalars.prefix(Report.reasonByteCountMax / 4)
            return Report.Stream(
                origin: stream.key.origin, topic: stream.key.topic, state: state.rawValue,
                milliseconds: now.uptimeMicroseconds.subtractingOrZero(stream.since) / 1000,
                reason: String(String.UnicodeScalarView(reason)))
        }
    }

    /// What has been applied of each origin that the sender speaks for, as much of it as fits into one report.
    private func appliedHeads(of session: SenderSession) -> [Heads] {
        var byOrigin: [String: Heads] = [:]
        for (key, stream) in streams where session.origins.contains(key.origin) {
            var heads =
                byOrigin[key.origin]
                ?? Heads(
                    origin: key.origin, incarnation: stream.incarnation, stamp: latestStamps[key.origin] ?? 0,
                    heads: [], isRelayed: true, ageMilliseconds: nil)
            heads.stamp = max(heads.stamp, stream.lastStamp)
            heads.heads.append(Head(topic: key.topic, sequence: committed(key, stream), digest: nil))
            byOrigin[key.origin] = heads
        }
        // What the sender has published itself comes first: it waits for that.
        let sorted = byOrigin.values.sorted { left, right in
            (left.origin == session.name ? 0 : 1, left.origin) < (right.origin == session.name ? 0 : 1, right.origin)
        }
        let frameByteCount = min(session.frameByteCount, configuration.limits.frameByteCount)
        return sorted.fitting(byteCountMax: HeadsRoom.listByteCountMax(frameByteCount: frameByteCount))
    }
}
