public import ModelWire

/// A pushed batch that an earlier run of a relay has made durable.
public struct DurableBatch: Sendable {
    public let topic: Topic
    public let payload: [UInt8]
    /// When it was stored, in Unix milliseconds.
    public let writtenMilliseconds: UInt64

    public init(topic: Topic, payload: [UInt8], writtenMilliseconds: UInt64) {
        self.topic = topic
        self.payload = payload
        self.writtenMilliseconds = writtenMilliseconds
    }
}
