public import ModelRecord

/// The heads of an origin's topics, as a sender tells them from time to time (protocol article, section 4).
public struct Heads: Sendable, Hashable {
    /// The name of the origin.
    public var origin: String
    /// The origin's start that the heads belong to.
    public var incarnation: UInt64
    /// The origin's hybrid clock. If isRelayed, the greatest stamp that the origin itself has told.
    public var stamp: Stamp
    /// One head for each topic. Decoded heads are in the order of the encoded topics: shorter ones first, then
    /// bytewise.
    public var heads: [TopicHead]
    /// The sender is a relay and speaks for this origin.
    public var isRelayed: Bool
    /// The origin has sent, or may have sent, transactions over several topics. Only the records of all topics
    /// together, as one cut, are certain to show each transaction whole.
    public var hasTransactions: Bool
    /// The origin's batches are pushed to relays: each of its starts begins with its first batch.
    public var isPushed: Bool
    /// The relay, whose own heads these are, does not tell the names of all origins that it has followed, for lack of
    /// room.
    public var leavesNamesOut: Bool
    /// The sender, a relay, knows or has to expect of an earlier start of the origin: what that wrote is in no batch.
    public var mayHaveFormer: Bool
    /// How long ago the relay last heard of the origin; nil when the sender tells no age.
    public var ageMilliseconds: UInt64?
    /// The origin leases models: its leases are those whose stamps are not below this one. Nil where it leases none.
    public var leasesSince: Stamp?
    /// For how long the relay has not heard of an origin that leases models, while it would have.
    public var quietMilliseconds: UInt64?
    /// Over how many relays the relay's knowledge comes whether an origin that leases models is there: 0 where it
    /// listens to the origin. Nil where it does not know.
    public var leaseDistance: UInt64?

    /// The heads of `origin`.
    public init(
        origin: String, incarnation: UInt64, stamp: Stamp, heads: [TopicHead], isRelayed: Bool = false,
        hasTransactions: Bool = false, isPushed: Bool = false, leavesNamesOut: Bool = false,
        mayHaveFormer: Bool = false, ageMilliseconds: UInt64? = nil, leasesSince: Stamp? = nil,
        quietMilliseconds: UInt64? = nil, leaseDistance: UInt64? = nil
    ) {
        self.origin = origin
        self.incarnation = incarnation
        self.stamp = stamp
        self.heads = heads
        self.isRelayed = isRelayed
        self.hasTransactions = hasTransactions
        self.isPushed = isPushed
        self.leavesNamesOut = leavesNamesOut
        self.mayHaveFormer = mayHaveFormer
        self.ageMilliseconds = ageMilliseconds
        self.leasesSince = leasesSince
        self.quietMilliseconds = quietMilliseconds
        self.leaseDistance = leaseDistance
    }

    /// The head of one topic, if it is among them.
    public subscript(topic: Topic) -> TopicHead? { heads.first { $0.topic == topic } }
}
