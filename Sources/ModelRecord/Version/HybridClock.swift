/// A hybrid logical clock: follows the wall clock, never goes back, and orders what was seen before what comes after.
///
/// It reads no clock itself; the caller passes the time in. Not safe to share: one state machine owns one clock.
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

    /// Takes note of a stamp that came from elsewhere.
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
