public import ModelRecord

/// What an origin says when it stops in good order.
public struct Bye: Sendable, Hashable {
    public var origin: String
    public var incarnation: UInt64
    public var stamp: Stamp

    public init(origin: String, incarnation: UInt64, stamp: Stamp) {
        self.origin = origin
        self.incarnation = incarnation
        self.stamp = stamp
    }
}
