/// A message of a publisher, as another process got it: how large its two frames were, and how many updates it held.
public struct RecordedFrame: Codable, Hashable, Sendable {
    var topicByteCount: Int
    var payloadByteCount: Int
    /// 0 where it is no batch.
    var updateCount: Int
}
