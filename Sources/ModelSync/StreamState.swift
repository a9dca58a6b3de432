import ModelRecord
import ModelWire

/// One stream of batches: a topic of one origin.
struct StreamKey: Hashable, Sendable {
    let origin: String
    let topic: Topic
}

/// What a replica knows about one stream.
struct StreamState: Sendable {
    /// The rungs of the repair ladder, cheapest first. A sender that cannot serve one is asked for the next.
    enum Rung: Sendable {
        /// The topic's records.
        case snapshot
    }

    /// How a hole was found.
    enum Finding: String, Sendable {
        case batchBeyondNext = "batch beyond the next"
        case headBeyondApplied = "head beyond the applied"
        case newIncarnation = "new incarnation"
        case digest = "digest differs"
        case clock = "batch from the future"
    }

    /// A repair that waits for its time or is under way.
    struct Repair: Sendable {
        var rung = Rung.snapshot
        var finding: Finding
        /// When the hole was found.
        var foundAt: UInt64
        /// When the request goes out, or goes out again.
        var dueAt: UInt64
        /// The request under way.
        var rid: UInt64?
        var attempts = 0
        /// How many records had been rejected for their clocks when the request went out.
        var rejectedBefore: UInt64 = 0
    }

    var incarnation: UInt64
    var tracker = SequenceTracker()
    /// The sender that was last heard of this stream; it is asked for repairs.
    var sender: SenderID
    /// When a hole was seen first, while it may still fill by itself.
    var holeSince: UInt64?
    var holeFinding = Finding.batchBeyondNext
    /// At most one repair at a time.
    var repair: Repair?
    /// Batches of an older incarnation that came after the newer one was met.
    var olderBatchCount = 0
    /// The first sequence that was rejected because its stamp lay too far ahead. Until a snapshot has brought what it
    /// held, the stream is not live, however many batches came since.
    var rejected: UInt64?
    /// A newer incarnation took the place of an older one, whose models its sender may no longer have: the sender's
    /// digests say nothing about this copy then.
    var holdsOlderIncarnation = false
    /// When a differing digest may be repaired again, and the pause after that.
    var nextDigestRepair: UInt64 = 0
    var digestPauseMicroseconds: UInt64 = 0
    var holesFound: UInt64 = 0
    var holesFilled: UInt64 = 0
    var holesMendedBySnapshot: UInt64 = 0
    var lastRepairMicroseconds: UInt64?
    /// Since when the quality is what it is.
    var since: UInt64
    var lastBatchLagMilliseconds: UInt64 = 0

    init(incarnation: UInt64, sender: SenderID, now: UInt64) {
        self.incarnation = incarnation
        self.sender = sender
        since = now
    }

    /// A repair is wanted or under way.
    var isRepairing: Bool { repair != nil }

    /// Something that was sent is not here.
    var isMending: Bool { isRepairing || holeSince != nil || rejected != nil || tracker.hasHole }

    /// Every sequence up to this one is here, what was rejected not counted.
    var applied: UInt64 { rejected.map { min(tracker.applied, $0 - 1) } ?? tracker.applied }
}
