import ModelRecord
import ModelWire

/// What lies too far ahead of the wall clock changes nothing (protocol article, section 8): it is counted, told, and
/// shown as a state, and comes again when the clocks have come together.
extension Replica {
    func isTooFarAhead(_ stamp: Stamp, now: Moment) -> Bool {
        now.isPassed(by: stamp, leadMilliseconds: clockLeadMilliseconds)
    }

    /// A start of an origin that is not followed yet, and cannot be: whatever came after it would count as earlier.
    /// - Parameter followed: is looked up only for what is ahead.
    func isStartTooFarAhead(_ incarnation: UInt64, followed: @autoclosure () -> UInt64?, now: Moment) -> Bool {
        isTooFarAhead(incarnation, now: now) && incarnation > followed() ?? 0
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
        stream.clockPause = now.uptimeMicroseconds + Replica.clockPauseMicroseconds
        watch(stream, finding: .clock, now: now)
    }

    /// How long a stream of rejected batches is left alone before its topic is asked for again.
    static let clockPauseMicroseconds: UInt64 = 5_000_000

    /// The sender has brought something of the origin that lies too far ahead. While that goes on the sender is not
    /// live; a line is logged when it begins.
    func noteAhead(_ origin: String, _ stamp: Stamp, at sender: SenderID, now: Moment) {
        guard noteOrigin(origin, of: sender, now: now) else { return }
        let until = now.uptimeMicroseconds + Replica.clockPauseMicroseconds
        let former = sessions[sender.index].ahead.updateValue(until, forKey: origin)
        sessions[sender.index].lastError = "\(origin) is \(lead(of: stamp, now)) ms ahead; set the clocks right"
        guard former == nil else { return }
        noteClockRejected(origin, stamp, ["sender": label(sender)], now: now)
    }

    /// A start of the origin that cannot be followed yet. What it writes is in no batch of a later one, which may be
    /// the first that is: of that all topics are taken whole.
    func noteStartAhead(_ origin: String, _ incarnation: UInt64, at sender: SenderID, now: Moment) {
        noteAhead(origin, incarnation, at: sender, now: now)
        if sessions[sender.index].origins.contains(origin) { restartedOrigins.insert(origin) }
    }

    /// Tells it in the log, unless enough of it was told lately.
    func noteClockRejected(_ origin: String, _ stamp: Stamp, _ metadata: [String: String], now: Moment) {
        if now.uptimeMicroseconds >= nextClockNotices {
            nextClockNotices = now.uptimeMicroseconds + Replica.clockPauseMicroseconds
            clockNoticeCount = 0
        }
        guard clockNoticeCount < Replica.toldOriginCountMax else { return }
        clockNoticeCount += 1
        let facts = ["origin": origin, "ahead_ms": "\(lead(of: stamp, now))", "advice": "set the clocks right"]
        if toldRejected.count < Replica.toldRejectedMax { toldRejected.insert(origin) }
        notice(.clockRejected, facts.merging(metadata) { first, _ in first })
    }

    private func lead(of stamp: Stamp, _ now: Moment) -> UInt64 {
        (stamp >> 16).subtractingOrZero(now.wallMilliseconds)
    }

    /// Forgets what is not ahead any more, or has not been told again.
    func reviewClocks(now: Moment) {
        for index in sessions.indices where !sessions[index].ahead.isEmpty {
            sessions[index].ahead = sessions[index].ahead.filter { $0.value > now.uptimeMicroseconds }
        }
    }

    /// Something of the origin was taken: where the log was told that it is rejected, it is told that this is over.
    func noteClockAccepted(_ origin: String, _ metadata: [String: String]) {
        guard toldRejected.remove(origin) != nil else { return }
        notice(.clockAccepted, ["origin": origin].merging(metadata) { first, _ in first })
    }

    /// Of so many origins the log is told that they are accepted again.
    private static let toldRejectedMax = 1_024

    /// A sender has brought something of the origin lately that lies too far ahead.
    func isAhead(_ origin: String) -> Bool { sessions.contains { $0.ahead[origin] != nil } }
}
