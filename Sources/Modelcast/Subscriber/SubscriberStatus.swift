public import ModelStore
public import ModelSync

/// The state of a subscriber at one moment.
public struct SubscriberStatus: Sendable {
    /// The status of each publisher, in the order of ``SubscriberConfiguration/publishers``.
    public internal(set) var senders: [SenderStatus]
    /// The status of each stream: one for each origin and topic.
    public internal(set) var streams: [StreamStatus]
    /// The counters of the replica.
    public internal(set) var counters: Counters
    /// The figures of writing to the store; nil where there is none.
    public internal(set) var store: WriteBehindStatus?

    /// The errors and refusals of publishers: each kind of each sender once, the last one first, at most 256.
    public internal(set) var errors: [DistinctError] = []
    /// How many of the fetched models were in the copy, at this moment.
    public internal(set) var fetches = FetchCounts()

    /// Every publisher is live: all batches that it has sent are applied. False where no status has come yet.
    public var isLive: Bool { !senders.isEmpty && senders.allSatisfy { $0.state == .live } }
}
