import ModelWire

extension Replica {
    /// Notes a hole, or that it has filled. Nothing counts as a hole while the sender's first snapshot is under way.
    func watchForHole(_ key: StreamKey, finding: StreamState.Finding, now: Moment) {
        guard var stream = streams[key], sessions[stream.sender.index].isSynced else { return }
        if stream.tracker.hasHole {
            guard stream.holeSince == nil, stream.repair == nil else { return }
            stream.holeSince = now.uptimeMicroseconds
            stream.holeFinding = finding
            streams[key] = stream
        } else if stream.holeSince != nil {
            stream.holeSince = nil
            stream.holesFilled += 1
            counters[.holesFilled] += 1
            streams[key] = stream
        }
    }

    /// Begins the one repair that a stream may have at a time.
    func startRepair(_ key: StreamKey, finding: StreamState.Finding, now: Moment) {
        guard var stream = streams[key], stream.repair == nil else { return }
        let others = streams.values.count { $0.isRepairing }
        let spread = others < 4 ? 0 : configuration.repairJitterMax.wholeMicroseconds
        let jitter = spread == 0 ? 0 : UInt64.random(in: 0...spread, using: &generator)
        stream.repair = StreamState.Repair(
            finding: finding, foundAt: stream.holeSince ?? now.uptimeMicroseconds,
            dueAt: now.uptimeMicroseconds + jitter)
        stream.holeSince = nil
        stream.holesFound += 1
        stream.since = now.uptimeMicroseconds
        streams[key] = stream
        counters[.holesFound] += 1
        notice(
            .holeFound,
            [
                "origin": key.origin, "topic": key.topic.description, "found": finding.rawValue,
                "applied": "\(stream.tracker.applied)", "missing": "\(stream.tracker.missingCount)",
            ])
    }

    /// Starts the repairs whose grace has passed, and sends the requests that are due.
    func driveRepairs(now: Moment) {
        let time = now.uptimeMicroseconds
        let grace = configuration.holeGrace.wholeMicroseconds
        for (key, stream) in streams {
            if let since = stream.holeSince, time >= since + grace {
                startRepair(key, finding: stream.holeFinding, now: now)
            }
            if stream.rejected != nil, time >= stream.nextDigestRepair {
                streams[key]?.nextDigestRepair = time + Replica.clockPauseMicroseconds
                startRepair(key, finding: .clock, now: now)
            }
            guard let repair = streams[key]?.repair, time >= repair.dueAt else { continue }
            guard sessions[stream.sender.index].isSynced else { continue }
            request(repair, for: key, from: stream.sender, now: now)
        }
    }

    /// Asks for what the repair's rung brings; a request that went unanswered is taken back first.
    private func request(
        _ repair: StreamState.Repair, for key: StreamKey, from sender: SenderID, now: Moment
    ) {
        if let rid = repair.rid { send(.cancel(rid: rid), to: sender) }
        let rid = takeRID()
        var repair = repair
        repair.rid = rid
        repair.attempts += 1
        repair.rejectedBefore = counters[.clockRejectedRecords]
        repair.dueAt = now.uptimeMicroseconds + greetingTimeout(repair.attempts)
        streams[key]?.repair = repair
        switch repair.rung {
        case .snapshot:
            counters[.snapshotsRequested] += 1
            send(
                .snapshot(rid: rid, prefixes: [key.topic], credit: UInt64(configuration.snapshotCredit)), to: sender)
        }
    }

    /// The stream that the request `rid` is to repair.
    func repairedStream(_ rid: UInt64) -> StreamKey? { streams.first { $0.value.repair?.rid == rid }?.key }

    func finishRepair(_ key: StreamKey, now: Moment) {
        guard var stream = streams[key], let repair = stream.repair else { return }
        stream.repair = nil
        if counters[.clockRejectedRecords] == repair.rejectedBefore { stream.rejected = nil }
        stream.holesMendedBySnapshot += 1
        stream.lastRepairMicroseconds = now.uptimeMicroseconds - repair.foundAt
        stream.since = now.uptimeMicroseconds
        streams[key] = stream
        counters[.holesMendedBySnapshot] += 1
        notice(
            .holeMended,
            [
                "origin": key.origin, "topic": key.topic.description, "by": "snapshot",
                "took_ms": "\((now.uptimeMicroseconds - repair.foundAt) / 1000)",
            ])
        watchForHole(key, finding: .headBeyondApplied, now: now)
    }
}
