import ModelRecord
import ModelWire

/// What lies too far ahead of the wall clock changes nothing (protocol article, section 8): it is counted, told, and
/// shown as a state, and comes again when the clocks have come together.
extension Replica {
    /// A start of an origin that is not followed yet, and cannot be: whatever came after it would count as earlier.
    /// - Parameter followed: is looked up only for what is ahead.
    func isStartTooFarAhead(_ incarnation: UInt64, followed: @autoclosure () -> UInt64?, now: Moment) -> Bool {
        clockGuard.isTooFarAhead(incarnation, now: now) && incarnation > followed() ?? 0
    }

    /// Leaves out the batch that the decoder holds: it is missing, and asked for again once the clocks may have come
    /// together.
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
        watch(stream, finding: .clock, now: now)
    }

    /// The sender has brought something of the origin that lies too far ahead. While that goes on the sender is not
    /// live; a line is logged when it begins.
    func noteAhead(_ origin: String, _ stamp: Stamp, at sender: SenderID, now: Moment) {
        guard noteOrigin(origin, of: sender, now: now) else { return }
        let until = now.uptimeMicroseconds + ClockGuard.pauseMicroseconds
        let former = sessions[sender.index].ahead.updateValue(until, forKey: origin)
        let lead = ClockGuard.lead(of: stamp, now)
        sessions[sender.index].lastError = "\(origin) is \(lead) ms ahead; set the clocks right"
        guard former == nil else { return }
        noteClockRejected(origin, stamp, ["sender": label(sender)], now: now)
    }

    /// A start of the origin that cannot be followed yet. What it writes is in no batch of a later one, which may be
    /// the first that is: of that all topics are taken whole.
    func noteStartAhead(_ origin: String, _ incarnation: UInt64, at sender: SenderID, now: Moment) {
        noteAhead(origin, incarnation, at: sender, now: now)
        if sessions[sender.index].origins.contains(origin) { origins[origin].isRestarted = true }
    }

    /// Tells it in the log, unless enough of it was told lately.
    func noteClockRejected(_ origin: String, _ stamp: Stamp, _ metadata: [String: String], now: Moment) {
        guard clockGuard.takeNotice(now: now) else { return }
        let lead = ClockGuard.lead(of: stamp, now)
        let facts = ["origin": origin, "ahead_ms": "\(lead)", "advice": "set the clocks right"]
        if origins.toldRejectedCount < ClockGuard.toldOriginCountMax { origins[origin].isToldRejected = true }
        notice(.clockRejected, facts.merging(metadata) { first, _ in first })
    }

    /// Forgets what is not ahead any more, or has not been told again.
    func reviewClocks(now: Moment) {
        for index in sessions.indices where !sessions[index].ahead.isEmpty {
            sessions[index].ahead = sessions[index].ahead.filter { $0.value > now.uptimeMicroseconds }
        }
    }

    /// Something of the origin was taken: where the log was told that it is rejected, it is told that this is over.
    func noteClockAccepted(_ origin: String, _ metadata: [String: String]) {
        guard origins[origin].isToldRejected else { return }
        origins[origin].isToldRejected = false
        notice(.clockAccepted, ["origin": origin].merging(metadata) { first, _ in first })
    }

    /// A sender has brought something of the origin lately that lies too far ahead.
    func isAhead(_ origin: String) -> Bool { sessions.contains { $0.ahead[origin] != nil } }
}
