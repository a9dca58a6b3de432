/// The pause before a lost connection is opened anew, on the clock of ``Moment/uptimeMicroseconds``.
///
/// The pause doubles each time, and begins anew after a contact that has stood for as long as the longest one: to be
/// greeted is not enough, for a sender may greet and be of no use.
struct ReconnectPause {
    private var attempts = 0
    /// Since when the stream's connection is open.
    private var openSince: UInt64?

    mutating func opened(at time: UInt64) { openSince = time }

    /// The connection is lost.
    /// - Returns: when it is to be opened anew.
    mutating func lost(at time: UInt64, first: Duration, longest: Duration) -> UInt64 {
        let longest = longest.wholeMicroseconds
        if let openSince, time >= openSince + longest { attempts = 0 }
        openSince = nil
        let pause = min(first.wholeMicroseconds << UInt64(min(attempts, 10)), longest)
        attempts += 1
        return time + pause
    }
}
