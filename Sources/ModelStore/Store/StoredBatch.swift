public import ModelWire

/// A batch as it was sent, kept for replays.
public struct StoredBatch: Hashable, Sendable {
    public var origin: String
    public var incarnation: UInt64
    public var topic: Topic
    /// The number of the batch; the ring is in order up to 2^63.
    public var sequence: UInt64
    /// Unix milliseconds at which it was handed to the store; ``BatchRetention`` goes by this.
    public var writtenMilliseconds: UInt64
    /// The second frame of the message, unchanged.
    public var payload: [UInt8]

    public init(
        origin: String, incarnation: UInt64, topic: Topic, sequence: UInt64, writtenMilliseconds: UInt64,
        payload: [UInt8]
    ) {
        self.origin = origin
        self.incarnation = incarnation
        self.topic = topic
        self.sequence = sequence
        self.writtenMilliseconds = writtenMilliseconds
        self.payload = payload
    }
}
