public import ModelStore

/// What a subscriber can say of itself at any moment.
public struct SubscriberStatus: Sendable {
    /// One per publisher, in the order of ``SubscriberConfiguration/publishers``.
    public internal(set) var senders: [SenderStatus]
    /// One per origin and topic.
    public internal(set) var streams: [StreamStatus]
    public internal(set) var counters: Counters
    /// How writing to the store goes; nil where there is none.
    public internal(set) var store: WriteBehindStatus?

    /// Every publisher is live: all that it has sent has been applied.
    public var isLive: Bool { !senders.isEmpty && senders.allSatisfy { $0.state == .live } }
}
