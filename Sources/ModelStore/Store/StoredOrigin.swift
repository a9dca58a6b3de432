public import ModelRecord

/// What is known of an origin, the store's own one included.
public struct StoredOrigin: Hashable, Sendable {
    public var name: String
    /// The greatest incarnation; of an own origin the one that it runs as.
    public var incarnation: UInt64
    /// The greatest stamp; of an own origin its clock.
    public var stamp: Stamp

    public init(name: String, incarnation: UInt64, stamp: Stamp) {
        self.name = name
        self.incarnation = incarnation
        self.stamp = stamp
    }
}
