import ModelSync
import Synchronization

@testable import Modelcast

/// A clock that a test sets forward, and the sign of life of a thread that is none.
struct ServiceClockForTests {
    private let shift = ClockShift()
    private var clock: ServiceClock { ServiceClock(shift: shift) }

    func pulse() -> LoopPulse { LoopPulse(clock: clock) }
    func beat(_ pulse: LoopPulse) { pulse.beat(clock.now()) }
    func end(_ pulse: LoopPulse) { pulse.end() }

    /// Makes the last round of a thread begin so many seconds ago.
    func beat(_ pulse: LoopPulse, secondsAgo: UInt64) {
        let now = clock.now()
        let then = now.uptimeMicroseconds - secondsAgo * 1_000_000
        pulse.beat(Moment(wallMilliseconds: now.wallMilliseconds, uptimeMicroseconds: then))
    }

    func advance(seconds: UInt64) {
        shift.microseconds.wrappingAdd(seconds * 1_000_000, ordering: .relaxed)
    }
}
