/// The budget that a sender grants each peer, so that no peer can take its memory or its time from the others.
///
/// A request beyond the budget is refused with `busy` or `limit`, and counted; it may be made again later.
public struct RequestBudget: Sendable {
    /// How often something may be had: so many times at once, and so many times a second after that.
    public struct Rate: Sendable, Hashable {
        /// How many times at once.
        public var burst: UInt64
        /// How many times a second after that.
        public var perSecond: UInt64

        /// A rate of these two numbers.
        public init(burst: UInt64, perSecond: UInt64) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    /// How many snapshots one peer may begin.
    public var snapshots = Rate(burst: 512, perSecond: 64)
    /// How many snapshots may be under way to one peer.
    public var cursorsPerPeer = 64
    /// How many snapshots may be under way to all peers together; beyond that only a peer that has none may begin one.
    public var cursorCount = 1024
    /// How long a snapshot may go without credit, or without sending a chunk, before it is given up: it keeps replaced
    /// records alive.
    public var cursorTimeout = Duration.seconds(30)
    /// How many digests of more than 8 bits one peer may ask for: each looks at all models of its type.
    public var fineDigests = Rate(burst: 4, perSecond: 1)
    /// How many other requests that cost little one peer may make: hello, digests of up to 8 bits.
    public var questions = Rate(burst: 256, perSecond: 64)
    /// How many bytes of replays and fetches one peer gets.
    public var answerBytes = Rate(burst: 64 << 20, perSecond: 64 << 20)
    /// The most bytes of one replay, which then ends early, or of one fetch, which is refused.
    public var answerByteCount = 4 << 20
    /// The most batches of one replay.
    public var replayFrameCount: UInt64 = 64
    /// How many answers to one peer, snapshots aside, may wait.
    public var answersPerPeer = 256
    /// How many other answers may wait for all peers together; beyond that only a peer that has none may have one.
    public var answerCount = 4096
    /// The most bytes that answers to all peers take in memory until they have been taken. Nil where the owner does not
    /// tell when that is: then answers are made at once.
    public var underWayByteCount: Int?
    /// The most ids of one fetch.
    public var fetchIDCount = 1024
    /// How many errors one peer is told; what it asks wrongly beyond that is ignored and counted.
    public var errors = Rate(burst: 256, perSecond: 64)
    /// Under how many names one peer may begin to push.
    public var names = Rate(burst: 256, perSecond: 16)
    /// How many pushed batches of one peer may wait to be durable.
    public var pushesPerPeer = 256
    /// The most bytes of pushed batches of all peers that wait to be durable.
    public var pendingPushByteCount = 64 << 20
    /// The most bytes of reports and prefixes that are remembered of all peers.
    public var reportByteCount = 64 << 20

    /// The defaults, without a bound for what is under way.
    public init() {}

    /// The defaults, with a bound for what is under way. The bound is at least eight of the largest frames, so that
    /// half of it has room for any message.
    public init(underWayByteCount: Int, frameByteCount: Int) {
        self.underWayByteCount = max(underWayByteCount, 8 * frameByteCount)
    }
}

/// How much of its budget one peer has used.
struct PeerBudget: Sendable {
    var snapshots = TokenBucket()
    var fineDigests = TokenBucket()
    var questions = TokenBucket()
    var answerBytes = TokenBucket()
    var errors = TokenBucket()
    var names = TokenBucket()
    /// How many bytes the topics take of the heads that the peer has begun by pushing.
    var topicByteCount = 0
}
