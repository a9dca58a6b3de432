import Foundation

/// CLOCK_MONOTONIC: one clock for all processes of a machine, so that times of different processes can be compared.
public enum MonotonicClock {
    /// Nanoseconds since the machine started.
    public static var nanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Sleeps until `deadline`, and not at all when that is past.
    ///
    /// A past deadline is checked here, because the kernel would set a timer for it, take its interrupt, and look for
    /// another thread to run.
    static func sleep(until deadline: UInt64) {
        guard nanoseconds < deadline else { return }
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    /// Asks the kernel to end this thread's sleeps on time; by default they last up to 50 µs longer.
    ///
    /// Where the kernel refuses, sleeps stay as they are; latencies from intended times show that.
    static func sharpenSleep() {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"),
            let thread = path.split(separator: "/").last
        else { return }
        let file = FileHandle(forWritingAtPath: "/proc/\(thread)/timerslack_ns")
        try? file?.write(contentsOf: Data("1".utf8))
    }
}

/// Calls at a rate, each with the time at which it is due.
struct Pace {
    /// The time from one call to the next.
    let intervalNanoseconds: Double
    let start: UInt64

    /// - Parameters:
    ///   - rate: calls a second.
    ///   - start: when the first call is due.
    init(rate: Double, start: UInt64 = MonotonicClock.nanoseconds) {
        intervalNanoseconds = 1e9 / rate
        self.start = start
    }

    /// When call number `index`, from 0, is due.
    func due(_ index: Int) -> UInt64 { start + UInt64(Double(index) * intervalNanoseconds) }

    /// How many calls are due at `time`.
    func count(at time: UInt64) -> Int {
        time < start ? 0 : Int(Double(time - start) / intervalNanoseconds) + 1
    }
}
