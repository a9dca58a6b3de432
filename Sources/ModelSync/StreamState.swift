import ModelCache
import ModelRecord
import ModelWire

/// One stream of batches: a topic of one origin.
struct StreamKey: Hashable, Sendable {
    let origin: String
    let topic: Topic
}

/// What a replica knows about one stream.
///
/// An object, because the hot path changes it in place after one look-up.
final class StreamState {
    /// What one sender has last said of the stream.
    struct Teller {
        let sender: SenderID
        /// The start of the origin that it follows.
        var incarnation: UInt64 = 0
        /// The head that it told last; nil where only batches came.
        var head: UInt64?
    }

    let key: StreamKey
    /// The buckets that its topic carries.
    let buckets: Range<Int>?
    /// The type of the topic.
    let type: String
    /// The models of that type, once there are any.
    private var table: Table?
    var incarnation: UInt64
    var tracker = SequenceTracker()
    /// The sender that was last heard of this stream; it is asked first. Nil for a stream that is only pushed: it has
    /// no holes.
    var sender: SenderID?
    /// Every sender that has spoken of the stream: at most one entry for each.
    var tellers: [Teller] = []
    /// Since when the next sequence is missing, and what was applied then.
    var missing: (applied: UInt64, since: UInt64)?
    /// When a hole was seen first, while it may still fill by itself.
    var holeSince: UInt64?
    var holeFinding = Finding.batchBeyondNext
    /// At most one repair at a time.
    var repair: Repair?
    /// It stands in the replica's list of streams that need attention.
    var isListed = false
    /// Batches of an older incarnation that came after the newer one was met.
    var olderBatchCount = 0
    /// Something was rejected because its stamp lay too far ahead: it counts as missing, and is not asked for again
    /// before this time. Nil where nothing of that kind is missing.
    var clockPause: UInt64?
    /// A newer incarnation took the place of an older one, whose models its sender may no longer have: digests say
    /// nothing about this copy until they were equal once.
    var holdsOlderIncarnation = false
    /// Since when what its origin had before the first known batch is awaited; nil once a snapshot has brought it.
    var takeoverSince: UInt64?
    /// Its beginning came from a store, or was asked for since.
    var isRestored = false
    /// Somebody has pushed batches of it.
    var isPushed = false
    /// What became of its holes.
    var account = RepairAccount()
    /// Since when the quality is what it is.
    var since: UInt64
    /// Since when nothing fresh is known of it.
    var staleSince: UInt64?
    var lastBatchLagMilliseconds: UInt64 = 0
    /// The greatest stamp of its batches, of whichever start.
    var lastStamp: Stamp = 0

    /// The models of its type, in the one cache that its replica has.
    func table(of cache: ModelCache) -> Table {
        if let table { return table }
        let made = cache.table(type)
        table = made
        return made
    }

    init(key: StreamKey, type: String, incarnation: UInt64, now: UInt64) {
        self.key = key
        buckets = key.topic.buckets
        self.type = type
        self.incarnation = incarnation
        since = now
    }

    /// Something that was sent is not here.
    var isMending: Bool { repair != nil || holeSince != nil || takeoverSince != nil || tracker.hasHole }

    /// Needs attention from ``Replica/driveRepairs(now:)``.
    var isUnsettled: Bool { repair != nil || holeSince != nil || takeoverSince != nil }

    /// The sender speaks of the stream.
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

    /// The head that a sender told last, of the incarnation that is followed.
    func head(toldBy sender: SenderID) -> UInt64? {
        tellers.first { $0.sender == sender && $0.incarnation == incarnation }?.head
    }
}
