public import ModelWire

/// The batches of one incarnation on one topic, up to a sequence.
public struct BatchRange: Hashable, Sendable {
    public var origin: String
    public var incarnation: UInt64
    public var topic: Topic
    /// The last sequence of the range.
    public var through: UInt64

    public init(origin: String, incarnation: UInt64, topic: Topic, through: UInt64) {
        self.origin = origin
        self.incarnation = incarnation
        self.topic = topic
        self.through = through
    }
}
