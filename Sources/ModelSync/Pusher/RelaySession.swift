/// A pusher's relation to one relay: which batches it has acknowledged, which are on their way.
struct RelaySession: Sendable {
    enum State: Sendable {
        case waiting
        case sent(rid: UInt64)
        case acknowledged
    }

    /// By position, from ``firstPosition`` on.
    var states = Fifo<State>()
    private var firstPosition = 0
    /// Positions by request, and when each was sent.
    var outstanding: [UInt64: Int] = [:]
    private var sentAt: [UInt64: UInt64] = [:]
    /// Nothing before this position waits.
    private var cursor = 0
    /// How far it is known what the relay holds of earlier starts; nil where they have left nothing.
    var comparison: Comparison?
    /// Everything before this position was sent at least once.
    private var sentEnd = 0
    var isConnected = false
    var failure: String?
    var lastError: String?
    /// `lastError` says why nobody greets there: that no request is answered says less.
    var isUnreachable = false
    /// The log has told that this relay refuses for the sake of a clock.
    var isClockTold = false
    /// The size of the batches that it has not acknowledged.
    var unacknowledgedByteCount = 0
    private var acknowledgedCount: UInt64 = 0
    /// Batches that were neither acknowledged nor are to be.
    private var voidCount = 0
    private var resentCount: UInt64 = 0
    private var pausedUntil: UInt64 = 0
    private var pauses = 0

    func unacknowledgedCount(total: Int) -> Int { total - voidCount - Int(acknowledgedCount) }

    /// All that earlier starts have written is there, or on its way in batches.
    var isCompared: Bool { comparison?.isDone ?? true }

    func isAcknowledged(_ position: Int) -> Bool {
        guard position >= firstPosition, position - firstPosition < states.count else { return false }
        if case .acknowledged = states[position - firstPosition] { return true }
        return false
    }

    func mayPush(at time: UInt64) -> Bool { isConnected && failure == nil && time >= pausedUntil }

    /// When the request that waits longest was sent.
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

    /// A batch waits to be sent.
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
    mutating func accept(_ rid: UInt64) -> Int? {
        guard let position = outstanding.removeValue(forKey: rid) else { return nil }
        sentAt[rid] = nil
        pauses = 0
        isClockTold = false
        acknowledgedCount += 1
        states[position - firstPosition] = .acknowledged
        return position
    }

    /// Nothing before a position is to be pushed any more.
    mutating func void(through end: Int) {
        voidCount = end - Int(acknowledgedCount)
        outstanding = [:]
        sentAt = [:]
        states = Fifo()
        unacknowledgedByteCount = 0
        (firstPosition, cursor, sentEnd) = (end, end, end)
    }

    /// What was sent from a position on waits again. Answers to the old requests are passed over.
    /// - Parameter evenAcknowledged: the sizes of those that wait again although they were acknowledged.
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
