public import ModelWire

/// How far a topic of an origin is contained in the records of the store.
///
/// A replica keeps the last sequence that it applied, an origin the last one that it sent.
public struct StoredHead: Hashable, Sendable {
    public var origin: String
    public var topic: Topic
    public var incarnation: UInt64
    public var sequence: UInt64

    public init(origin: String, topic: Topic, incarnation: UInt64, sequence: UInt64) {
        self.origin = origin
        self.topic = topic
        self.incarnation = incarnation
        self.sequence = sequence
    }
}
