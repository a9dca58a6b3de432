import ModelSync
import Synchronization

/// The sign of life of a service's thread: when it began its last round. Any thread may read it.
package final class LoopPulse: Sendable {
    /// What a thread does.
    package enum Phase: Equatable, Sendable {
        case notBegun
        /// The last round began so long ago.
        case turning(ago: Duration)
        case ended
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

    /// What the thread does now.
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
