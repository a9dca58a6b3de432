import ModelCache

/// The state of a pusher towards one relay: which batches it has acknowledged, and which are on their way.
struct RelaySession: Sendable {
    enum State: Sendable {
        case waiting
        case sent(rid: UInt64)
        case acknowledged
    }

    /// A name for the relay in notices.
    let name: String
    /// The state of each kept batch, from `firstPosition` on.
    var states = Fifo<State>()
    private var firstPosition = 0
    /// The positions of the batches on their way, by request; and when each request was sent.
    var outstanding: [UInt64: Int] = [:]
    private var sentAt: [UInt64: UInt64] = [:]
    /// No batch before this position waits to be sent.
    private var cursor = 0
    /// The comparison of former writes with the relay; nil where there are none.
    var comparison: Comparison?
    /// Every batch before this position was sent at least once.
    private var sentEnd = 0
    var isConnected = false
    var failure: String?
    var lastError: String?
    /// `lastError` tells why nobody answers at the endpoint. That a request has no answer would say less.
    var isUnreachable = false
    /// The log was told that this relay refuses because of a clock.
    var isClockTold = false
    /// The bytes of the batches that the relay has not acknowledged.
    var unacknowledgedByteCount = 0
    private var acknowledgedCount: UInt64 = 0
    /// How many batches were given up with their start, unacknowledged.
    private var voidCount = 0
    private var resentCount: UInt64 = 0
    private var pausedUntil: UInt64 = 0
    private var pauses = 0

    init(name: String) { self.name = name }

    func unacknowledgedCount(total: Int) -> Int { total - voidCount - Int(acknowledgedCount) }

    /// All that earlier starts have written is at the relay, or on its way in batches.
    var isCompared: Bool { comparison?.isDone ?? true }

    func isAcknowledged(_ position: Int) -> Bool {
        guard position >= firstPosition, position - firstPosition < states.count else { return false }
        if case .acknowledged = states[position - firstPosition] { return true }
        return false
    }

    func mayPush(at time: UInt64) -> Bool { isConnected && failure == nil && time >= pausedUntil }

    /// When the request that has waited longest was sent.
    var oldestSent: UInt64? {
        guard let asked = comparison?.request?.sentAt else { return sentAt.values.min() }
        return min(sentAt.values.min() ?? asked, asked)
    }

    /// The first position that waits to be sent.
    mutating func nextWaiting(_ first: Int, end: Int) -> Int? {
        cursor = max(cursor, firstPosition)
        while cursor < end {
            if case .waiting = states[cursor - firstPosition] { return cursor }
            cursor += 1
        }
        return nil
    }

    /// Adds a batch that waits to be sent.
    mutating func add(byteCount: Int) {
        states.append(.waiting)
        unacknowledgedByteCount += byteCount
    }

    mutating func sent(_ position: Int, rid: UInt64, at time: UInt64) {
        states[position - firstPosition] = .sent(rid: rid)
        outstanding[rid] = position
        sentAt[rid] = time
        if position < sentEnd { resentCount += 1 }
        sentEnd = max(sentEnd, position + 1)
    }

    /// - Returns: the position of the batch that is acknowledged.
    /// Takes an acknowledgement.
    mutating func accept(_ rid: UInt64) -> Int? {
        guard let position = outstanding.removeValue(forKey: rid) else { return nil }
        sentAt[rid] = nil
        pauses = 0
        isClockTold = false
        acknowledgedCount += 1
        states[position - firstPosition] = .acknowledged
        return position
    }

    /// Gives up all batches before a position.
    mutating func void(through end: Int) {
        voidCount = end - Int(acknowledgedCount)
        outstanding = [:]
        sentAt = [:]
        states = Fifo()
        unacknowledgedByteCount = 0
        (firstPosition, cursor, sentEnd) = (end, end, end)
    }

    /// Makes the batches from a position on wait again that were sent. Answers to the old requests are passed over.
    /// - Parameter evenAcknowledged: the size of a batch that waits again although it was acknowledged; nil for others.
    mutating func takeBack(from position: Int, evenAcknowledged: (Int) -> Int? = { _ in nil }) {
        let start = max(position, firstPosition)
        for index in (start - firstPosition)..<max(states.count, start - firstPosition) {
            switch states[index] {
            case .waiting: continue
            case .sent(let rid):
                outstanding[rid] = nil
                sentAt[rid] = nil
            case .acknowledged:
                guard let byteCount = evenAcknowledged(firstPosition + index) else { continue }
                acknowledgedCount -= 1
                unacknowledgedByteCount += byteCount
            }
            states[index] = .waiting
        }
        cursor = min(cursor, start)
    }

    mutating func forgetFirst() {
        _ = states.removeFirst()
        firstPosition += 1
    }

    mutating func pause(now: UInt64, _ configuration: PusherConfiguration) {
        pausedUntil = now + configuration.pause(after: pauses)
        pauses += 1
    }

    func status(total: Int, now: UInt64) -> PushStatus {
        let state: PushStatus.State =
            if let failure {
                .failed(failure)
            } else if !isConnected {
                .connecting
            } else {
                now < pausedUntil ? .pausing : .pushing
            }
        return PushStatus(
            state: state, unacknowledged: unacknowledgedCount(total: total), acknowledged: acknowledgedCount,
            resent: resentCount, isCompared: isCompared, lastError: lastError)
    }
}
