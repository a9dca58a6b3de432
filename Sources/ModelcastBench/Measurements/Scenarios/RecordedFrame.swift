/// A message of a publisher, as another process received it: the sizes of its two frames, and how many updates it has.
public struct RecordedFrame: Codable, Hashable, Sendable {
    var topicByteCount: Int
    var payloadByteCount: Int
    /// How many updates it has; 0 for a message that is no batch.
    var updateCount: Int
}
