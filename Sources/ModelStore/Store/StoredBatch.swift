public import ModelWire

/// A batch as it was sent, stored for replays.
public struct StoredBatch: Hashable, Sendable {
    /// The name of the origin that sent the batch.
    public var origin: String
    /// The incarnation of the origin.
    public var incarnation: UInt64
    /// The topic of the batch.
    public var topic: Topic
    /// The sequence of the batch. The ring orders sequences up to 2^63.
    public var sequence: UInt64
    /// When the batch was handed to the store, in Unix milliseconds. ``BatchRetention`` uses this time.
    public var writtenMilliseconds: UInt64
    /// The second frame of the batch's message, unchanged.
    public var payload: [UInt8]

    /// Makes a batch of its parts.
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
