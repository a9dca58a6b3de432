/// A hybrid logical clock: it follows the wall clock, never goes back, and takes each stamp above all stamps that it
/// has taken or seen.
///
/// The clock reads no time itself; the caller passes it in. Not safe to share: one state machine owns one clock.
public struct HybridClock: Sendable {
    /// The last stamp taken or seen.
    public private(set) var last: Stamp

    /// A clock that has seen nothing but `last`.
    public init(last: Stamp = 0) { self.last = last }

    /// Takes the stamp of a local event.
    /// - Parameter nowMilliseconds: the wall clock, milliseconds since 1970.
    @inlinable public mutating func tick(nowMilliseconds: UInt64) -> Stamp {
        let stamp = max(nowMilliseconds << 16, last &+ 1)
        advance(to: stamp)
        return stamp
    }

    /// Notes a stamp of another process: later ticks are above it.
    @inlinable public mutating func observe(_ stamp: Stamp) {
        if stamp > last { advance(to: stamp) }
    }

    @usableFromInline mutating func advance(to stamp: Stamp) { last = stamp }

    /// True when `stamp` lies further ahead of the wall clock than `maxLeadMilliseconds`: such a batch is rejected.
    @inlinable public static func isTooFarAhead(
        _ stamp: Stamp, nowMilliseconds: UInt64, maxLeadMilliseconds: UInt64
    ) -> Bool {
        stamp >> 16 > nowMilliseconds &+ maxLeadMilliseconds
    }
}
