public import ModelWire

/// The last batch of an origin on a topic that the records of the store contain.
///
/// A replica stores the last sequence that it applied, an origin the last one that it sent.
public struct StoredHead: Hashable, Sendable {
    /// The name of the origin.
    public var origin: String
    /// The topic of the batches.
    public var topic: Topic
    /// The incarnation of the origin.
    public var incarnation: UInt64
    /// The sequence of that last batch.
    public var sequence: UInt64

    /// Makes a head.
    public init(origin: String, topic: Topic, incarnation: UInt64, sequence: UInt64) {
        self.origin = origin
        self.topic = topic
        self.incarnation = incarnation
        self.sequence = sequence
    }
}
