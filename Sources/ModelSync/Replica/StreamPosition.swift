public import ModelWire

/// How far a stream had been applied when the state was stored.
public struct StreamPosition: Hashable, Sendable {
    /// The origin whose batches the stream has.
    public var origin: String
    /// The data topic of the stream.
    public var topic: Topic
    /// The start of the origin that was followed.
    public var incarnation: UInt64
    /// Every sequence up to this one is in the stored state, as ``StreamStatus/applied`` tells it.
    public var applied: UInt64
    /// Batches of the stream were pushed here.
    public var isPushed: Bool
    /// The origin has sent transactions over several topics: no topic is taken without the others.
    public var hasTransactions: Bool

    /// A position as a store has kept it.
    public init(
        origin: String, topic: Topic, incarnation: UInt64, applied: UInt64, isPushed: Bool = false,
        hasTransactions: Bool = false
    ) {
        self.origin = origin
        self.topic = topic
        self.incarnation = incarnation
        self.applied = applied
        self.isPushed = isPushed
        self.hasTransactions = hasTransactions
    }

    /// By origin and topic, which name the stream.
    package func precedes(_ other: StreamPosition) -> Bool {
        StreamKey(origin: origin, topic: topic).precedes(StreamKey(origin: other.origin, topic: other.topic))
    }
}
