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
    /// Everything before this position was sent at least once.
    private var sentEnd = 0
    var isConnected = false
    var failure: String?
    var lastError: String?
    private var acknowledgedCount: UInt64 = 0
    private var resentCount: UInt64 = 0
    private var pausedUntil: UInt64 = 0
    private var pauses = 0

    func unacknowledgedCount(total: Int) -> Int { total - Int(acknowledgedCount) }

    func isAcknowledged(_ position: Int) -> Bool {
        guard position >= firstPosition, position - firstPosition < states.count else { return false }
        if case .acknowledged = states[position - firstPosition] { return true }
        return false
    }

    func mayPush(at time: UInt64) -> Bool { isConnected && failure == nil && time >= pausedUntil }

    /// When the request that waits longest was sent.
    var oldestSent: UInt64? { sentAt.values.min() }

    /// The first position that waits to be sent.
    mutating func nextWaiting(_ first: Int, end: Int) -> Int? {
        cursor = max(cursor, firstPosition)
        while cursor < end {
            if case .waiting = states[cursor - firstPosition] { return cursor }
            cursor += 1
        }
        return nil
    }

    mutating func sent(_ position: Int, rid: UInt64, at time: UInt64) {
        states[position - firstPosition] = .sent(rid: rid)
        outstanding[rid] = position
        sentAt[rid] = time
        if position < sentEnd { resentCount += 1 }
        sentEnd = max(sentEnd, position + 1)
    }

    mutating func accept(_ rid: UInt64) {
        guard let position = outstanding.removeValue(forKey: rid) else { return }
        sentAt[rid] = nil
        pauses = 0
        acknowledgedCount += 1
        states[position - firstPosition] = .acknowledged
    }

    /// What was sent from a position on waits again. Answers to the old requests are passed over.
    /// - Parameter evenAcknowledged: positions that wait again although they were acknowledged.
    mutating func takeBack(from position: Int, evenAcknowledged: (Int) -> Bool = { _ in false }) {
        let start = max(position, firstPosition)
        for index in (start - firstPosition)..<max(states.count, start - firstPosition) {
            switch states[index] {
            case .waiting: continue
            case .sent(let rid):
                outstanding[rid] = nil
                sentAt[rid] = nil
            case .acknowledged:
                guard evenAcknowledged(firstPosition + index) else { continue }
                acknowledgedCount -= 1
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
        let pause = configuration.pause.wholeMicroseconds << UInt64(min(pauses, 16))
        pauses += 1
        pausedUntil = now + min(pause, configuration.pauseMax.wholeMicroseconds)
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
            resent: resentCount, lastError: lastError)
    }
}
