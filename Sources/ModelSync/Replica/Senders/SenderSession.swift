import ModelRecord
import ModelWire

/// A replica's relation to one sender: how far the hand-shake has come, and by when the sender must have answered.
struct SenderSession: Sendable {
    /// Where the hand-shake stands. ``ReplicaState`` is what others see of it.
    enum Phase: Sendable {
        /// The control connection is being opened by the runtime.
        case disconnected
        /// `hello` was sent.
        case greeting
        /// Subscribed; waiting for `heads` on the barrier topic.
        case barrier
        /// The snapshot with this request id is under way.
        case snapshot(rid: UInt64)
        /// The snapshot is complete.
        case synced
    }

    let id: SenderID
    var phase = Phase.disconnected
    /// The sender's own name, from `welcome`.
    var name = ""
    /// The topic whose answer shows that every filter is active.
    var barrier: [UInt8] = []
    var heartbeatMicroseconds: UInt64 = 500_000
    /// The origins that this sender has told heads of.
    var origins: Set<String> = [] { didSet { lastOrigin = nil } }
    /// The one of them that was asked for last.
    var lastOrigin: String?
    /// How old what it says of an origin was, when it said so, and of which start and moment of the origin.
    var ages: [String: (milliseconds: UInt64, at: UInt64, incarnation: UInt64, stamp: Stamp)] = [:]
    /// It does not tell all names that it has followed.
    var leavesNamesOut = false
    /// What became of what it has said of others.
    var credit = Credit()
    /// The origins of which it has brought what lies too far ahead of the wall clock, and until when that counts.
    var ahead: [String: UInt64] = [:]
    /// Records of its snapshot that are to become visible in one step; nil where each chunk does by itself.
    var staging: Staging?
    /// Records that come in parts, of all that it was asked for.
    var parted = PartedRecords()
    /// How many records had been rejected for their clocks when its snapshot was asked for.
    var rejectedBefore: UInt64 = 0
    /// When the phase began.
    var since: UInt64 = 0
    /// When it was welcomed last: what it told before may be of a life that is over.
    var welcomedAt: UInt64 = 0
    /// When its whole copy was asked for last; nil where a stored state goes on instead. What came to be known later
    /// may have met the copy behind the place where it was being read.
    var copyAskedAt: UInt64?
    /// When the sender was last heard of.
    var lastHeard: UInt64 = 0
    /// When it was last heard of while it was live, or else first welcomed, in milliseconds of the wall clock.
    var lastContact: UInt64?
    /// When the current step is given up and repeated.
    var deadline: UInt64?
    /// How often the current step was repeated.
    var attempts = 0
    /// Lost contact, until it is live again.
    var isStale = false
    /// Was live at least once.
    var wasLive = false
    /// When the next report is due.
    var nextReport: UInt64 = 0
    /// The last state that a report told.
    var reportedState: ReplicaState?
    var lastError: String?
    /// What it has made this replica do.
    var budget = SenderBudget()
    /// The largest frame that it takes, as far as it has told.
    var frameByteCount = Int.max

    init(id: SenderID) { self.id = id }

    var isSynced: Bool { if case .synced = phase { true } else { false } }

    /// The first snapshot of a connection is on its way.
    var isSyncing: Bool {
        switch phase {
        case .barrier, .snapshot: true
        case .disconnected, .greeting, .synced: false
        }
    }

    /// Became live without a snapshot: its streams go on from a stored state.
    var isWarm: Bool { isSynced && copyAskedAt == nil }

    /// When the step is given up, or silence or a report is due; never where none is.
    func nextDeadline(silentIntervals: Int) -> UInt64 {
        let step = deadline ?? .max
        guard isSynced else { return step }
        return min(step, lastHeard + heartbeatMicroseconds * UInt64(silentIntervals), nextReport)
    }

    /// Enters a phase that must end before `timeout` has passed.
    mutating func enter(_ phase: Phase, at now: UInt64, timeout: UInt64?) {
        self.phase = phase
        since = now
        deadline = timeout.map { now + $0 }
    }
}
