import Dispatch
import ModelSync

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
