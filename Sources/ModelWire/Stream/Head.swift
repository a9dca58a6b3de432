/// The last sequence that was sent on a topic.
public struct Head: Sendable, Hashable {
    public var topic: Topic
    public var sequence: UInt64
    /// The digest of the sender's own copy of the topic (protocol article, section 7), if it was told.
    public var digest: UInt64?

    public init(topic: Topic, sequence: UInt64, digest: UInt64? = nil) {
        self.topic = topic
        self.sequence = sequence
        self.digest = digest
    }
}
