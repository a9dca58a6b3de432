/// The word of a sender, or of the store, that its copy holds another origin's stream up to some sequence.
///
/// The stream counts as applied up to there, and no hole up to there is looked for. A batch that comes all the same,
/// and was not received before, is merged. Where it changes anything the claim was false, and the stream goes back to
/// what it was before (protocol article, section 6).
struct Claim {
    /// The sender that claims it; nil for the store.
    let claimant: SenderID?
    /// Everything up to this sequence is said to be here.
    let through: UInt64
    /// The sequences that had been applied before the claim, and those up to `through` that were received since.
    var former: SequenceTracker
    /// The claim has stood for so long that other senders would have doubted it. Until then no store keeps it.
    var isSeasoned: Bool
    /// When the copy of a sender that tells less is next asked for, and how often that has been done.
    var doubtedAt: UInt64
    var doubtCount = 0
    /// The heads that doubting senders told when they were asked last, and when that was: the same head is no reason to
    /// ask again.
    var doubted: [SenderID: (head: UInt64, at: UInt64)] = [:]

    /// - Parameter time: when the claim was made, on the clock of ``Moment/uptimeMicroseconds``.
    init(_ claimant: SenderID?, through: UInt64, at time: UInt64, former: SequenceTracker) {
        (self.claimant, self.through, self.former) = (claimant, through, former)
        isSeasoned = claimant == nil
        doubtedAt = time + Claim.patienceMicroseconds
    }

    /// How long a claim stands before it is doubted. By then other senders must have heard of what is claimed, or have
    /// asked for it: every tenth heartbeat tells all heads, and a replica that lacks something tries to mend it every
    /// ten seconds.
    static let patienceMicroseconds: UInt64 = 15_000_000

    /// How many claims are told apart in one stream.
    static let countMax = 4
}

extension [Claim] {
    /// The index of the first of the two neighbours that may best become one. First choice are two of one sender: a
    /// sender that claims something else each time then falls only with its own word. Next are two of two senders: what
    /// was stored then does not fall with what a sender has claimed since.
    var leastApart: Int {
        let pairs = indices.dropLast()
        return pairs.first { self[$0].claimant != nil && self[$0].claimant == self[$0 + 1].claimant }
            ?? pairs.first { self[$0].claimant != nil && self[$0 + 1].claimant != nil } ?? startIndex
    }

    /// Nothing but these claims says that this batch is here.
    func isMerelyClaimed(_ sequence: UInt64) -> Bool {
        first { sequence <= $0.through }.map { !$0.former.contains(sequence) } ?? false
    }

    /// Nothing but these claims says that some of the batches after `first` are here, up to `last`.
    func hideAny(after first: UInt64, through last: UInt64) -> Bool {
        contains { claim in Swift.max(claim.former.applied, first) < Swift.min(claim.through, last) }
    }

    /// Takes note that such a batch has come.
    mutating func noteReceived(_ sequence: UInt64) {
        for index in indices where sequence <= self[index].through { _ = self[index].former.arrive(sequence) }
    }
}

/// A start of an origin that a stream follows on the word of others: no batch of it has come, and the origin itself has
/// not told it.
struct ClaimedStart {
    /// The sender that has told of it.
    let claimant: SenderID?
    /// The start that was followed before; nil where there was none.
    var former: FormerStart?
    /// Since when a start is followed that is only claimed.
    let since: UInt64
    /// When the other senders are next looked at, whether they tell an earlier start, and how often they have been.
    var doubtedAt: UInt64
    var doubtCount = 0

    /// After this many times they are looked at no more.
    static let doubtCountMax = 6
}

/// A later start of an origin that has too many topics for one tick: it is followed on some of them already, and on the
/// others in the next ticks.
struct StartUnderWay {
    let incarnation: UInt64
    /// The sender that tells the start, and is charged for it; and whether its budget is used up.
    var sender: SenderID
    var isWaiting = false
    /// Only others than the origin tell the start.
    var isClaim: Bool
    /// The streams that follow an earlier start still, in one order on every machine.
    var rest: ArraySlice<StreamState>

    /// On how many topics the start begins to be followed at a time.
    static let topicCountMax = 2048
}

/// The start of an origin that a stream followed before others told of a later one.
struct FormerStart {
    let incarnation: UInt64
    var tracker: SequenceTracker
    var claims: [Claim]
    /// The records that the origin had before this start were still awaited.
    var isAwaited: Bool
}

/// How far the word of a sender on other origins is believed.
struct Credit: Sendable {
    /// How often the sender was contradicted.
    private(set) var contradictionCount: UInt64 = 0
    /// Until when the word of the sender on other origins counts only where no other sender speaks of them.
    private var distrustedUntil: UInt64 = 0
    private var pause: UInt64 = 0
    /// When a start that the sender had told was last taken back.
    private var lostStartAt: UInt64?

    private static let pauseMin: UInt64 = 10_000_000
    private static let pauseMax: UInt64 = 600_000_000

    func isDistrusted(at time: UInt64) -> Bool { time < distrustedUntil }

    /// Takes note that a start of another origin that the sender had told was taken back, on its own word or on that of
    /// others. That happens once to a relay that was deceived, or is the only one to know better; a sender that tells
    /// such starts again and again keeps others from ever knowing what is so.
    /// - Returns: true where it has happened before, in the last ten minutes.
    mutating func noteLostStart(at time: UInt64) -> Bool {
        defer { lostStartAt = time }
        return lostStartAt.map { time < $0 + Credit.pauseMax } ?? false
    }

    /// Takes note that the sender was contradicted: its word counts less for a time, which is longer each time.
    mutating func noteContradiction(at time: UInt64) {
        contradictionCount += 1
        // Claims that fall together are one contradiction. One that comes after a long good time begins with the
        // shortest pause again.
        guard !isDistrusted(at: time) else { return }
        if time > distrustedUntil + Credit.pauseMax { pause = 0 }
        pause = min(max(pause * 2, Credit.pauseMin), Credit.pauseMax)
        distrustedUntil = time + pause
    }
}
