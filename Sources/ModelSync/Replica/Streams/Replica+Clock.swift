import ModelRecord
import ModelWire

/// Stamps too far ahead of the wall clock change nothing (protocol article, section 8). A rejected batch is counted,
/// logged and shown as a state, and is asked for again until the clocks agree.
extension Replica {
    /// The start is not followed yet, and lies too far ahead to be followed: every true start after it would count as
    /// earlier.
    /// - Parameter followed: the start that is followed; looked up only where this one lies too far ahead.
    func isStartTooFarAhead(_ incarnation: UInt64, followed: @autoclosure () -> UInt64?, now: Moment) -> Bool {
        clockGuard.isTooFarAhead(incarnation, now: now) && incarnation > followed() ?? 0
    }

    /// Leaves out the batch that the decoder holds. It counts as missing, and is asked for again after a pause, when
    /// the clocks may agree.
    func reject(_ stream: StreamState, isCurrent: Bool, _ sender: SenderID, now: Moment) {
        guard !isCurrent || !stream.tracker.contains(decoder.sequence) else {
            counters[.duplicateBatches] += 1
            return
        }
        counters[.clockRejectedBatches] += 1
        noteAhead(stream.key.origin, decoder.lastStamp, at: sender, now: now)
        guard isCurrent else { return }
        stream.tracker.learn(head: decoder.sequence)
        stream.clockPause = now.uptimeMicroseconds + ClockGuard.pauseMicroseconds
        noticeHole(stream, finding: .clock, now: now)
    }

    /// Takes note that the sender has brought a stamp of the origin that lies too far ahead. While that goes on the
    /// sender is not live; a line is logged when it begins.
    func noteAhead(_ origin: String, _ stamp: Stamp, at sender: SenderID, now: Moment) {
        guard noteOrigin(origin, of: sender, now: now) else { return }
        let until = now.uptimeMicroseconds + ClockGuard.pauseMicroseconds
        let former = sessions[sender.index].ahead.updateValue(until, forKey: origin)
        let lead = ClockGuard.lead(of: stamp, now)
        sessions[sender.index].lastError = "\(origin) is \(lead) ms ahead; set the clocks right"
        guard former == nil else { return }
        noteClockRejected(origin, stamp, ["sender": label(sender)], now: now)
    }

    /// Takes note of a start that lies too far ahead to be followed. What it writes is in no batch of a later start, so
    /// all topics of the next start that is followed are taken whole.
    func noteStartAhead(_ origin: String, _ incarnation: UInt64, at sender: SenderID, now: Moment) {
        noteAhead(origin, incarnation, at: sender, now: now)
        if sessions[sender.index].origins.contains(origin) { origins[origin].isRestarted = true }
    }

    /// Logs the rejection of a stamp, unless enough such lines were logged lately.
    func noteClockRejected(_ origin: String, _ stamp: Stamp, _ metadata: [String: String], now: Moment) {
        guard clockGuard.takeNotice(now: now) else { return }
        let lead = ClockGuard.lead(of: stamp, now)
        let facts = ["origin": origin, "ahead_ms": "\(lead)", "advice": "set the clocks right"]
        if origins.toldRejectedCount < ClockGuard.toldOriginCountMax { origins[origin].isToldRejected = true }
        notice(.clockRejected, facts.merging(metadata) { first, _ in first })
    }

    /// Forgets the origins of which no stamp too far ahead has come lately.
    func reviewClocks(now: Moment) {
        for index in sessions.indices where !sessions[index].ahead.isEmpty {
            sessions[index].ahead = sessions[index].ahead.filter { $0.value > now.uptimeMicroseconds }
        }
    }

    /// Takes note that something of the origin was accepted: where the log was told of its rejection, it is told that
    /// this is over.
    func noteClockAccepted(_ origin: String, _ metadata: [String: String]) {
        guard origins[origin].isToldRejected else { return }
        origins[origin].isToldRejected = false
        notice(.clockAccepted, ["origin": origin].merging(metadata) { first, _ in first })
    }

    /// A sender has brought something of the origin lately that lies too far ahead.
    func isAhead(_ origin: String) -> Bool { sessions.contains { $0.ahead[origin] != nil } }
}
