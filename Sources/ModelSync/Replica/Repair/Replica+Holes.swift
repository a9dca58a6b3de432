import ModelWire

/// Holes: where one is noted, and where its repair begins. ``SequenceTracker`` finds them.
extension Replica {
    /// Notes that the stream has a hole, or has none any more. Nothing counts as a hole while no sender of the stream
    /// is through with its first snapshot.
    func noticeHole(_ stream: StreamState, finding: Finding, now: Moment) {
        if stream.tracker.hasHole {
            if stream.missing?.applied != stream.tracker.applied {
                stream.missing = (stream.tracker.applied, now.uptimeMicroseconds)
            }
            guard stream.holeSince == nil, stream.repair == nil, hasSyncedTeller(stream) else { return }
            stream.holeSince = now.uptimeMicroseconds
            stream.holeFinding = finding
            return list(stream)
        }
        stream.clockPause = nil
        stream.missing = nil
        if stream.holeSince != nil {
            stream.holeSince = nil
            counters[.holesFilled] += 1
            stream.account.mended[.filled, default: 0] += 1
        } else if let repair = stream.repair, repair.rung == .replay, repair.finding.isMissingSequences {
            finish(stream, by: repair.hasReplayed ? .replay : .filled, now: now)
        }
    }

    func hasSyncedTeller(_ stream: StreamState) -> Bool {
        stream.tellers.contains { sessions[$0.sender.index].isSynced }
    }

    /// Puts the stream on the list of those that ``driveRepairs(now:)`` looks at.
    func list(_ stream: StreamState) {
        guard !stream.isListed else { return }
        stream.isListed = true
        streams.unsettled.insert(stream)
    }

    /// Begins the one repair that a stream may have at a time.
    func startRepair(_ stream: StreamState, finding: Finding, now: Moment) {
        guard stream.repair == nil else { return }
        let rung = finding.isMissingSequences ? Repair.Rung.replay : .snapshot
        list(stream)
        stream.repair = Repair(
            rung: rung, finding: finding, foundAt: stream.holeSince ?? now.uptimeMicroseconds,
            dueAt: now.uptimeMicroseconds + jitter(before: rung, of: stream))
        streams.unsettled.noteRepair(of: stream)
        stream.holeSince = nil
        stream.since = now.uptimeMicroseconds
        stream.account.found += 1
        stream.account.lastFinding = finding
        counters[.holesFound] += 1
        notice(
            .holeFound,
            [
                "origin": stream.key.origin, "topic": stream.key.topic.description, "found": finding.rawValue,
                "applied": "\(stream.tracker.applied)", "missing": "\(stream.tracker.missingCount)",
            ])
    }
}
