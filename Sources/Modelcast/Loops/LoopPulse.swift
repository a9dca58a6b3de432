import ModelSync
import Synchronization

/// The sign of life of a service's thread: when it began its last round. Any thread may read it.
package final class LoopPulse: Sendable {
    /// The phase of a thread's life.
    package enum Phase: Equatable, Sendable {
        case notBegun
        /// The last round began so long ago.
        case turning(ago: Duration)
        case ended

        /// The last round began so long ago. A thread that has not begun, or has ended, does not hang.
        package func hangs(for limit: Duration) -> Bool {
            guard case .turning(let ago) = self else { return false }
            return ago >= limit
        }
    }

    /// When the last round began, in microseconds of uptime; 0 before the first, and the greatest after the last.
    private let last = Atomic<UInt64>(0)
    private let clock: ServiceClock

    init(clock: ServiceClock) { self.clock = clock }

    /// Takes note that a round begins.
    func beat(_ now: Moment) { last.store(now.uptimeMicroseconds, ordering: .relaxed) }

    /// Takes note that the thread ends.
    func end() { last.store(.max, ordering: .relaxed) }

    /// The time on the clock of the service, from any beginning; it never goes back.
    package var uptime: Duration { .microseconds(Int64(clamping: clock.now().uptimeMicroseconds)) }

    /// The phase of the thread now.
    package var phase: Phase {
        switch last.load(ordering: .relaxed) {
        case 0: return .notBegun
        case .max: return .ended
        case let last:
            let now = max(clock.now().uptimeMicroseconds, last)
            return .turning(ago: .microseconds(Int64(clamping: now - last)))
        }
    }
}
