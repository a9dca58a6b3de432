import Dispatch
import ModelSync
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The machine's clocks, read once for each event that a state machine gets.
enum Clocks {
    /// Both clocks, now.
    static func now() -> Moment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let wall = UInt64(time.tv_sec) &* 1000 &+ UInt64(time.tv_nsec) / 1_000_000
        return Moment(
            wallMilliseconds: wall, uptimeMicroseconds: DispatchTime.now().uptimeNanoseconds / 1000)
    }
}

/// The clocks that a service reads: the machine's, or, on a bus, the machine's set forward by a test.
struct ServiceClock: Sendable {
    /// Nil where nothing sets them forward.
    let shift: ClockShift?

    func now() -> Moment {
        let now = Clocks.now()
        guard let shift else { return now }
        let microseconds = shift.microseconds.load(ordering: .acquiring)
        return Moment(
            wallMilliseconds: now.wallMilliseconds + microseconds / 1000,
            uptimeMicroseconds: now.uptimeMicroseconds + microseconds)
    }
}

/// By how much a test has set the clocks of a bus forward.
final class ClockShift: Sendable {
    let microseconds = Atomic<UInt64>(0)
}
