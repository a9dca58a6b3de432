/// What a sender grants its peers, so that none of them can take its memory or its time from the others.
///
/// What is asked for beyond it is refused with `busy` or `limit`, counted, and may be asked for again later.
public struct RequestBudget: Sendable {
    /// Something that may be had so many times at once and so many times a second after that.
    public struct Rate: Sendable, Hashable {
        public var burst: UInt64
        public var perSecond: UInt64

        public init(burst: UInt64, perSecond: UInt64) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    /// Snapshots that one peer may begin.
    public var snapshots = Rate(burst: 512, perSecond: 64)
    /// Snapshots that may be under way to one peer.
    public var cursorsPerPeer = 64
    /// With so many snapshots under way to all peers together only a peer that has none may begin one.
    public var cursorCount = 1024
    /// A snapshot that was given no credit for this long is given up: it keeps replaced records alive.
    public var cursorTimeout = Duration.seconds(30)
    /// Digests of more than 8 bits, each of which looks at all models of its type.
    public var fineDigests = Rate(burst: 4, perSecond: 1)
    /// Other requests that cost little: hello, digests of up to 8 bits.
    public var questions = Rate(burst: 256, perSecond: 64)
    /// Bytes of replays and fetches.
    public var answerBytes = Rate(burst: 64 << 20, perSecond: 64 << 20)
    /// The bytes of one replay, which then ends early, or of one fetch, which is refused.
    public var answerByteCount = 4 << 20
    /// The batches of one replay.
    public var replayFrameCount: UInt64 = 64
    /// Answers to one peer, snapshots aside, that may wait.
    public var answersPerPeer = 256
    /// With so many other answers that wait for all peers together only a peer that has none may have one.
    public var answerCount = 4096
    /// What answers to all peers may take in memory until they have been taken. Nil where nobody tells when that is:
    /// then they are made at once.
    public var underWayByteCount: Int?
    /// The ids of one fetch.
    public var fetchIDCount = 1024
    /// Errors that one peer is told; what it asks wrongly beyond that is ignored and counted.
    public var errors = Rate(burst: 256, perSecond: 64)
    /// Names under which one peer begins to push.
    public var names = Rate(burst: 256, perSecond: 16)
    /// Pushed batches of one peer that wait to be durable.
    public var pushesPerPeer = 256
    /// The bytes of pushed batches of all peers that wait to be durable.
    public var pendingPushByteCount = 64 << 20
    /// The bytes of reports and prefixes that are remembered of all peers.
    public var reportByteCount = 64 << 20

    public init() {}

    /// The defaults, with a bound for what is under way: at least eight of the largest frames, so that half of it has
    /// room for any message.
    public init(underWayByteCount: Int, frameByteCount: Int) {
        self.underWayByteCount = max(underWayByteCount, 8 * frameByteCount)
    }
}

/// A level that sinks with what is taken and rises with time.
struct TokenBucket: Sendable {
    /// What is left, in millionths; nil before the first time: full.
    private var level: UInt64?
    private var lastTime: UInt64 = 0

    /// Takes `count` if there is as much; one that asks for more than a burst is served when the bucket is full.
    mutating func take(_ count: UInt64 = 1, of rate: RequestBudget.Rate, at time: UInt64) -> Bool {
        let full = TokenBucket.millionths(rate.burst)
        var level = level ?? full
        let elapsed = time > lastTime ? time - lastTime : 0
        let (gained, isPast) = elapsed.multipliedReportingOverflow(by: rate.perSecond)
        level = isPast || gained > full - min(level, full) ? full : level + gained
        lastTime = max(lastTime, time)
        let cost = min(TokenBucket.millionths(count), full)
        let isThere = level >= cost
        self.level = isThere ? level - cost : level
        return isThere
    }

    private static func millionths(_ count: UInt64) -> UInt64 {
        let (product, isPast) = count.multipliedReportingOverflow(by: 1_000_000)
        return isPast ? .max : product
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
}
