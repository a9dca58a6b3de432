/// A reading of the hybrid logical clock: Unix milliseconds in the upper 48 bits, a counter in the lower 16.
public typealias Stamp = UInt64

/// The time and the origin of a write; totally ordered, by stamp first, then by the bytes of the origin.
///
/// The rule is section 2 of the protocol article.
public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The hybrid-clock reading at the origin.
    public var stamp: Stamp
    /// The name of the publishing process.
    public var origin: String

    /// The version of what `origin` wrote at `stamp`.
    public init(stamp: Stamp, origin: String) {
        self.stamp = stamp
        self.origin = origin
    }

    public static func < (left: Version, right: Version) -> Bool {
        if left.stamp != right.stamp { return left.stamp < right.stamp }
        return left.origin.utf8.lexicographicallyPrecedes(right.origin.utf8)
    }

    /// The stamp's milliseconds, a dot, its counter, an at sign, the origin.
    public var description: String { "\(stamp >> 16).\(stamp & 0xFFFF)@\(origin)" }
}
