public import ModelWire

/// A pushed batch that an earlier run of a relay has made durable.
public struct DurableBatch: Sendable {
    /// The data topic of the batch.
    public let topic: Topic
    /// The batch, byte for byte as it was pushed.
    public let payload: [UInt8]
    /// When the batch was stored, in milliseconds since 1970.
    public let writtenMilliseconds: UInt64

    /// A batch as a store has kept it.
    public init(topic: Topic, payload: [UInt8], writtenMilliseconds: UInt64) {
        self.topic = topic
        self.payload = payload
        self.writtenMilliseconds = writtenMilliseconds
    }
}
