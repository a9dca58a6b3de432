public import ModelWire

/// The batches of one incarnation on one topic, up to a sequence.
public struct BatchRange: Hashable, Sendable {
    /// The name of the origin.
    public var origin: String
    /// The incarnation of the origin.
    public var incarnation: UInt64
    /// The topic of the batches.
    public var topic: Topic
    /// The last sequence of the range.
    public var through: UInt64

    /// Makes a range.
    public init(origin: String, incarnation: UInt64, topic: Topic, through: UInt64) {
        self.origin = origin
        self.incarnation = incarnation
        self.topic = topic
        self.through = through
    }
}
