/// The word of a sender, or of the store, that its copy holds another origin's stream up to some sequence.
///
/// The stream counts as applied so far, and its holes up to there are not looked for. A batch that comes all the same
/// is merged, as long as it was not received before; where it changes anything the claim was false, and the stream goes
/// back to what it was before (protocol article, section 6).
struct Claim {
    /// Whose word it is; nil where it is that of the store.
    let claimant: SenderID?
    /// Everything up to this sequence is said to be here.
    let through: UInt64
    /// The sequences that had been applied before the claim, and those up to there that were received since.
    var former: SequenceTracker
    /// The claim has stood for so long that others would have doubted it: until then no store keeps it.
    var isSeasoned: Bool
    /// When others are next asked who tell less, and how often they have been.
    var doubtedAt: UInt64
    var doubtCount = 0
    /// The heads that they told when they were asked last, and when that was: the same is no reason to ask again.
    var doubted: [SenderID: (head: UInt64, at: UInt64)] = [:]

    /// - Parameter time: when it was said, on the clock of ``Moment/uptimeMicroseconds``.
    init(_ claimant: SenderID?, through: UInt64, at time: UInt64, former: SequenceTracker) {
        (self.claimant, self.through, self.former) = (claimant, through, former)
        isSeasoned = claimant == nil
        doubtedAt = time + Claim.patienceMicroseconds
    }

    /// After so long others must have heard of what is claimed, or have asked for it: every tenth heartbeat tells all
    /// heads, and whoever lacks something tries to mend it every ten seconds.
    static let patienceMicroseconds: UInt64 = 15_000_000

    /// So many are told apart in one stream.
    static let countMax = 4
}

extension [Claim] {
    /// The first of the two neighbours that need least be told apart: both of one sender, so that one that claims
    /// something else each time only falls with what it has said itself; else of two senders, so that what was stored
    /// does not fall with what somebody has claimed since.
    var leastApart: Int {
        let pairs = indices.dropLast()
        return pairs.first { self[$0].claimant != nil && self[$0].claimant == self[$0 + 1].claimant }
            ?? pairs.first { self[$0].claimant != nil && self[$0 + 1].claimant != nil } ?? startIndex
    }

    /// Nothing but these words says that this batch is here.
    func isMerelyClaimed(_ sequence: UInt64) -> Bool {
        first { sequence <= $0.through }.map { !$0.former.contains(sequence) } ?? false
    }

    /// Such a batch has come.
    mutating func noteReceived(_ sequence: UInt64) {
        for index in indices where sequence <= self[index].through { _ = self[index].former.arrive(sequence) }
    }
}

/// A start of an origin that a stream follows on the word of others: no batch of it has come, and the origin itself has
/// not told it.
struct ClaimedStart {
    /// The sender that has told of it.
    let claimant: SenderID?
    /// The start that was followed before, where there was any.
    var former: FormerStart?
    /// Since when a start is followed that is only claimed.
    let since: UInt64
    /// When others are next asked whether they tell an earlier one, and how often they have been.
    var doubtedAt: UInt64
    var doubtCount = 0

    /// After so many times nobody is asked any more.
    static let doubtCountMax = 6
}

/// A later start of an origin that is followed on some of its topics already, and on the others in the next ticks: they
/// are too many for one.
struct StartUnderWay {
    let incarnation: UInt64
    /// A sender that has told of it, which it is charged to; and whether that has begun too much.
    var sender: SenderID
    var isWaiting = false
    /// Another than the origin has.
    var isClaim: Bool
    /// The topics on which an earlier start is followed still, in one order on every machine.
    var rest: ArraySlice<StreamState>

    /// On so many topics it begins to be followed at a time.
    static let topicCountMax = 2048
}

/// The start of an origin that a stream followed before others told of a later one.
struct FormerStart {
    let incarnation: UInt64
    var tracker: SequenceTracker
    var claims: [Claim]
    /// The models that the origin had before this start were not here yet.
    let isAwaited: Bool
}

/// What became of what a sender has said of other origins.
struct Credit: Sendable {
    /// How often it was contradicted.
    private(set) var contradictionCount: UInt64 = 0
    /// Until when its word on other origins counts only where nobody else speaks of them.
    private var distrustedUntil: UInt64 = 0
    private var pause: UInt64 = 0

    private static let pauseMin: UInt64 = 10_000_000
    private static let pauseMax: UInt64 = 600_000_000

    func isDistrusted(at time: UInt64) -> Bool { time < distrustedUntil }

    /// Something that it said was not so: its word counts less for a time, longer each time.
    mutating func noteContradiction(at time: UInt64) {
        contradictionCount += 1
        // What falls together is one contradiction, and one that comes after a long good time begins anew.
        guard !isDistrusted(at: time) else { return }
        if time > distrustedUntil + Credit.pauseMax { pause = 0 }
        pause = min(max(pause * 2, Credit.pauseMin), Credit.pauseMax)
        distrustedUntil = time + pause
    }
}
