/// The head of a topic: the last sequence that was sent on it.
public struct TopicHead: Sendable, Hashable {
    /// The topic.
    public var topic: Topic
    /// The last sequence; 0 when only an earlier incarnation has sent on the topic.
    public var sequence: UInt64
    /// The digest of the sender's own copy of the topic (protocol article, section 7), if it was told.
    public var digest: UInt64?

    /// The head of `topic`.
    public init(topic: Topic, sequence: UInt64, digest: UInt64? = nil) {
        self.topic = topic
        self.sequence = sequence
        self.digest = digest
    }
}
