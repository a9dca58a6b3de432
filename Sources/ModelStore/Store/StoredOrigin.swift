public import ModelRecord

/// The state of an origin, the store's own one included.
public struct StoredOrigin: Hashable, Sendable {
    /// The name of the origin.
    public var name: String
    /// The greatest known incarnation; of the own origin the one that it runs as.
    public var incarnation: UInt64
    /// The greatest known stamp; of the own origin its clock.
    public var stamp: Stamp

    /// Makes the state of an origin.
    public init(name: String, incarnation: UInt64, stamp: Stamp) {
        self.name = name
        self.incarnation = incarnation
        self.stamp = stamp
    }
}
