public import ModelRecord

/// The last frame of an origin that stops in good order.
public struct Bye: Sendable, Hashable {
    /// The name of the origin.
    public var origin: String
    /// The start of the origin that ends.
    public var incarnation: UInt64
    /// The origin's hybrid clock.
    public var stamp: Stamp

    /// The bye of an origin.
    public init(origin: String, incarnation: UInt64, stamp: Stamp) {
        self.origin = origin
        self.incarnation = incarnation
        self.stamp = stamp
    }
}
