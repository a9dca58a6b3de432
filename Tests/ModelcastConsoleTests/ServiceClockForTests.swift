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
    func advance(seconds: UInt64) {
        shift.microseconds.wrappingAdd(seconds * 1_000_000, ordering: .relaxed)
    }
}
