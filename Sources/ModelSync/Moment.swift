import ModelRecord

/// One reading of both clocks, handed to a state machine with each event: the machines read no clock themselves.
public struct Moment: Hashable, Sendable {
    /// The wall clock, in milliseconds since 1970. It may jump.
    public var wallMilliseconds: UInt64
    /// A clock that never goes back, in microseconds since any fixed point.
    public var uptimeMicroseconds: UInt64

    /// A reading of both clocks.
    public init(wallMilliseconds: UInt64, uptimeMicroseconds: UInt64) {
        self.wallMilliseconds = wallMilliseconds
        self.uptimeMicroseconds = uptimeMicroseconds
    }

    /// The stamp lies further ahead of the wall clock than this.
    func isPassed(by stamp: Stamp, leadMilliseconds: UInt64) -> Bool {
        HybridClock.isTooFarAhead(
            stamp, nowMilliseconds: wallMilliseconds, maxLeadMilliseconds: leadMilliseconds)
    }
}

extension Duration {
    /// Whole microseconds; a negative duration counts as none.
    public var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) &* 1_000_000 &+ UInt64(attoseconds / 1_000_000_000_000)
    }
}
