public import ModelRecord

/// What a sender says of an origin from time to time: the heads of its topics (protocol article, section 4).
public struct Heads: Sendable, Hashable {
    /// The name of the origin.
    public var origin: String
    /// The origin's start that the heads belong to.
    public var incarnation: UInt64
    /// The sender's hybrid clock.
    public var stamp: Stamp
    /// One head per topic. Decoded ones stand in the order of the encoded topics: shorter ones first, then bytewise.
    public var heads: [Head]
    /// The sender is a relay and speaks for this origin.
    public var isRelayed: Bool
    /// The origin has sent transactions over several topics, or may have: only the records of all topics together, as
    /// one cut, show each of them whole.
    public var hasTransactions: Bool
    /// The origin's batches are pushed to relays: each of its starts begins with its first batch.
    public var isPushed: Bool
    /// The relay, whose own heads these are, does not tell all names that it has followed: there is no room.
    public var leavesNamesOut: Bool
    /// How long ago the relay last heard of the origin.
    public var ageMilliseconds: UInt64?

    public init(
        origin: String, incarnation: UInt64, stamp: Stamp, heads: [Head], isRelayed: Bool = false,
        hasTransactions: Bool = false, isPushed: Bool = false, leavesNamesOut: Bool = false,
        ageMilliseconds: UInt64? = nil
    ) {
        self.origin = origin
        self.incarnation = incarnation
        self.stamp = stamp
        self.heads = heads
        self.isRelayed = isRelayed
        self.hasTransactions = hasTransactions
        self.isPushed = isPushed
        self.leavesNamesOut = leavesNamesOut
        self.ageMilliseconds = ageMilliseconds
    }

    /// The head of one topic, if it is among them.
    public subscript(topic: Topic) -> Head? { heads.first { $0.topic == topic } }
}
