import ModelCache
import ModelRecord
import ModelWire

/// One stream of batches: a topic of one origin.
struct StreamKey: Hashable, Sendable {
    let origin: String
    let topic: Topic

    /// By origin and topic.
    func precedes(_ other: StreamKey) -> Bool {
        origin == other.origin
            ? topic.bytes.lexicographicallyPrecedes(other.topic.bytes) : origin < other.origin
    }
}

/// A replica's knowledge of one stream.
///
/// An object, because the hot path changes it in place after one look-up.
final class StreamState {
    /// The last word of one sender on the stream.
    struct Teller {
        let sender: SenderID
        /// The start of the origin that the sender follows.
        var incarnation: UInt64 = 0
        /// The head that the sender told last; nil where only batches came.
        var head: UInt64?
        /// When the sender told that head, on the clock of ``Moment/uptimeMicroseconds``.
        var toldAt: UInt64 = 0
        /// Since when the sender has told heads beyond the last known one, and its word has moved nothing.
        var beyondSince: UInt64?
        /// The sender's copy and this one have been equal in all buckets of the stream, since that start and on this
        /// connection.
        var wasEqual = false
    }

    let key: StreamKey
    /// The buckets that the topic carries.
    let buckets: Range<Int>?
    /// The type of the topic.
    let type: String
    /// The models of that type, once there are any.
    private var table: ModelTable?
    var incarnation: UInt64
    var tracker = SequenceTracker()
    /// The sender that was last heard of this stream; it is asked first. Nil for a stream that is only pushed: it has
    /// no holes.
    var sender: SenderID?
    /// Every sender that has spoken of the stream: at most one entry for each.
    var tellers: [Teller] = []
    /// The claims of others than the origin on what they hold, in ascending order of the last sequence.
    var claims: [Claim] = [] { didSet { noteDoubtful() } }
    /// The start that is followed, where only others than the origin tell of it; nil once a batch of it has come.
    var claimedStart: ClaimedStart? { didSet { noteDoubtful() } }
    /// The last sequence whose batch may bear out or contradict a claim. Kept as a number, because it is read with each
    /// batch.
    private(set) var doubtfulThrough: UInt64 = 0
    /// The last known head was told by another than the origin.
    var isHeadClaimed = false
    /// Since when the next sequence is missing, and what was applied then.
    var missing: (applied: UInt64, since: UInt64)?
    /// Since when something is missing that the present sequences do not show, and what was applied when the start was
    /// followed (again). Batches of an earlier start were missing, or a claimed later start was followed in between.
    /// Nil once a copy has covered that.
    var unfollowed: (applied: UInt64, since: UInt64)?
    /// When a hole was seen first, while it may still fill by itself.
    var holeSince: UInt64?
    var holeFinding = Finding.batchBeyondNext
    /// At most one repair at a time.
    var repair: Repair?
    /// The stream is in the list of streams that need attention.
    var isListed = false
    /// The index of its queue in that list, while it is there.
    var queue = 0
    /// Batches of an older incarnation that came after the newer one was met, and were sent after it began.
    var olderBatchCount = 0
    /// The time before which a batch that was rejected for its stamp is not asked for again; until it comes it counts
    /// as missing. Nil where no such batch is missing.
    var clockPause: UInt64?
    /// A newer incarnation took the place of an older one, and this copy was not equal to any sender's since.
    var holdsOlderIncarnation = false
    /// This copy has, or may have, models of which no head tells and which a sender may not have: of an earlier start
    /// of the origin, or beyond the position of a stored state. What this copy holds beyond a sender's is no
    /// difference until both were equal once.
    var holdsUntold = false
    /// The beginning: what the origin had before the first known batch.
    var beginning = StreamBeginning()
    /// Batches of the stream were pushed here.
    var isPushed = false
    /// The heads that peers are told leave the stream out, because one message has no room for all.
    var isUntold = false
    /// The sender that told the stream first, and is charged for it; nil for a peer that pushed, or a store.
    let metAt: SenderID?
    /// When a batch of the stream came last, on the clock of ``Moment/uptimeMicroseconds``; 0 for none in this run.
    var lastArrival: UInt64 = 0
    /// The account of the stream's holes.
    var account = RepairAccount()
    /// Since when the state of the stream is what it is.
    var since: UInt64
    /// Since when nothing fresh is known of the stream; nil while it is fresh.
    var staleSince: UInt64?
    var lastBatchLagMilliseconds: UInt64 = 0
    /// The greatest stamp of its batches, of whichever start.
    var lastStamp: Stamp = 0

    /// The models of its type, in the one cache that its replica has.
    func table(of cache: ModelCache) -> ModelTable {
        if let table { return table }
        let made = cache.table(type)
        table = made
        return made
    }

    init(key: StreamKey, type: String, incarnation: UInt64, metAt sender: SenderID? = nil, now: UInt64) {
        self.key = key
        metAt = sender
        buckets = key.topic.buckets
        self.type = type
        self.incarnation = incarnation
        since = now
    }

    /// By origin and topic.
    func precedes(_ other: StreamState) -> Bool { key.precedes(other.key) }

    /// Something that was sent is not here.
    var isMending: Bool { repair != nil || holeSince != nil || beginning.isAwaited || tracker.hasHole }

    /// The stream has a hole that stays, perhaps for good: no sender that can be asked has what is missing, or none can
    /// be asked.
    ///
    /// Batches beyond the hole are in the copy all the same, so the copy may hold more than its position tells.
    var hasLastingHole: Bool {
        guard tracker.hasHole, holeSince == nil, !beginning.isAwaited else { return false }
        return repair?.isInVain ?? tellers.isEmpty
    }

    /// Something that was sent is not here, and may come at any moment.
    var isBeingMended: Bool { isMending && !hasLastingHole }

    /// Needs attention from ``Replica/driveRepairs(now:)``.
    var isUnsettled: Bool { repair != nil || holeSince != nil || beginning.isAwaited }

    /// The sequences that have been applied, but for those that these senders alone say to hold.
    func tracker(besides claimants: Set<SenderID>) -> SequenceTracker {
        guard !claimants.isEmpty, tracker.lastApplied <= claims.last?.through ?? 0 else { return tracker }
        let first = claims.indices.reversed().prefix { claims[$0].claimant.map(claimants.contains) ?? false }.last
        return first.map { claims[$0].former } ?? tracker
    }

    private func noteDoubtful() { doubtfulThrough = claimedStart != nil ? .max : claims.last?.through ?? 0 }

    /// Takes note that the sender speaks of the stream.
    func note(_ teller: SenderID, incarnation: UInt64, head: UInt64? = nil) {
        sender = teller
        guard let index = tellers.firstIndex(where: { $0.sender == teller }) else {
            tellers.append(Teller(sender: teller, incarnation: incarnation, head: head))
            return
        }
        if tellers[index].incarnation != incarnation {
            tellers[index] = Teller(sender: teller, incarnation: incarnation, head: head)
        } else if let head {
            tellers[index].head = head
        }
    }

    /// This copy may rightly hold models that the sender has not got.
    func mayHoldMore(than sender: SenderID) -> Bool {
        holdsUntold && !wasEqual(to: sender)
    }

    /// This copy and the sender's were equal in all buckets of the stream, on this connection.
    func wasEqual(to sender: SenderID) -> Bool { tellers.contains { $0.sender == sender && $0.wasEqual } }

    /// Takes note that both copies are equal in all buckets of the stream; or, with false, that they may not be any
    /// more.
    func noteEqual(_ isEqual: Bool, to sender: SenderID) {
        guard let index = tellers.firstIndex(where: { $0.sender == sender }) else { return }
        tellers[index].wasEqual = isEqual
        if isEqual { holdsOlderIncarnation = false }
    }

    /// Takes note of when the sender told its head, on the clock of ``Moment/uptimeMicroseconds``.
    /// - Parameter isIgnored: the word of the sender moves nothing.
    func noteTold(by teller: SenderID, at time: UInt64, isIgnored: Bool) {
        guard let index = tellers.firstIndex(where: { $0.sender == teller }) else { return }
        tellers[index].toldAt = time
        let isBeyond = isIgnored && tellers[index].head ?? 0 > tracker.head
        tellers[index].beyondSince = isBeyond ? tellers[index].beyondSince ?? time : nil
    }

    /// Takes back what the sender has told beyond this head.
    func lowerHead(of teller: SenderID, to head: UInt64) {
        guard let index = tellers.firstIndex(where: { $0.sender == teller }) else { return }
        tellers[index].head = tellers[index].head.map { min($0, head) }
    }

    /// The head that a sender told last, of the incarnation that is followed.
    func head(toldBy sender: SenderID) -> UInt64? { head(toldBy: sender, of: incarnation) }

    /// The head that a sender told last, where it told one of this incarnation.
    func head(toldBy sender: SenderID, of incarnation: UInt64) -> UInt64? {
        tellers.first { $0.sender == sender && $0.incarnation == incarnation }?.head
    }
}
