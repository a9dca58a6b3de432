/// The pause before a lost connection is opened again, on the clock of ``Moment/uptimeMicroseconds``.
///
/// The pause doubles each time. It begins anew after a contact that has lasted for as long as the longest pause. A
/// greeting alone is not enough, as a sender may greet and then fail each time.
struct ReconnectPause {
    private var attempts = 0
    /// Since when the stream's connection is open; nil while it is not.
    private var openSince: UInt64?

    mutating func opened(at time: UInt64) { openSince = time }

    /// Notes that the connection is lost.
    /// - Returns: when it is to be opened again.
    mutating func lost(at time: UInt64, first: Duration, longest: Duration) -> UInt64 {
        let longest = longest.wholeMicroseconds
        if let openSince, time >= openSince + longest { attempts = 0 }
        openSince = nil
        let pause = min(first.wholeMicroseconds << UInt64(min(attempts, 10)), longest)
        attempts += 1
        return time + pause
    }
}
