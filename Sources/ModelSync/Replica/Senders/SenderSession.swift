import ModelRecord
import ModelWire

/// The state of a replica towards one sender: how far the hand-shake has come, what the sender has told, and what is
/// under way.
///
/// An object, because one or two of its many fields are looked at with each message.
final class SenderSession {
    let id: SenderID
    /// How far the hand-shake has come. ``ReplicaState`` is what others see of it.
    var handShake: HandShake
    /// The sender's own name, from `welcome`.
    var name = ""
    /// The topic whose answer shows that every filter is active.
    var barrier: [UInt8] = []
    var heartbeatMicroseconds: UInt64 = 500_000
    /// The origins that this sender has told heads of.
    var origins: Set<String> = [] { didSet { lastOrigin = nil } }
    /// The origin of these that was looked up last.
    var lastOrigin: String?
    /// For each origin: how old the word of the sender on it was, when the sender said it, and the start and stamp that
    /// it told.
    var ages: [String: (milliseconds: UInt64, at: UInt64, incarnation: UInt64, stamp: Stamp)] = [:]
    /// The sender does not tell all names that it has followed.
    var leavesNamesOut = false
    /// The rights of the sender's key; nil where there are no grants, so that it may bring everything.
    var rights: SenderRights? { didSet { isJudged = isJudged || rights != nil } }
    /// Rights or signatures bound what the sender may bring. One look tells that there are neither.
    var isJudged = false
    /// How far the word of the sender on other origins is believed.
    var credit = Credit()
    /// The origins of which the sender has brought a stamp too far ahead of the wall clock, and until when that counts.
    var ahead: [String: UInt64] = [:]
    /// The records of the snapshot of the sender that become visible in one step; nil where each chunk becomes visible
    /// by itself.
    var staging: Staging?
    /// The records that come in parts, of all requests to the sender.
    var parted = PartedRecords()
    /// For how long the sender is left out of fetches.
    var fetchBackOff = FetchBackOff()
    /// The pause in which no fetch waits until this copy has come as far as the answers of the sender: it has not, when
    /// one did.
    var catchUpPause = GrowingPause()
    /// The pause in which no fetch waits for what nobody but the sender says to be there: one has, and the sender did
    /// not have it itself.
    var claimPause = GrowingPause()
    /// Records of the sender were rejected for their clocks since its snapshot was asked for.
    var hasRejectedRecords = false
    /// Records of the sender have come whose heads have not, or batches before its copy: no position tells for sure
    /// that they are here.
    var holdsUncovered = false
    /// When the last `welcome` of the sender came: what it told before may be of a life that is over.
    var welcomedAt: UInt64 = 0
    /// When the whole copy of the sender was asked for last; nil where a stored state goes on instead. A later start
    /// that became known after this may have met the copy behind the place that was being read.
    var copyAskedAt: UInt64?
    /// When the sender was last heard of.
    var lastHeard: UInt64 = 0
    /// When the sender was last heard of while it was live, or else first welcomed, in milliseconds of the wall clock.
    var lastContact: UInt64?
    /// Until when it is known that nobody serves at the endpoint of the sender: its host says so.
    var absentUntil: UInt64 = 0
    /// When the next report is due.
    var nextReport: UInt64 = 0
    /// The last state that a report told.
    var reportedState: ReplicaState?
    var lastError: String?
    /// The budget of the sender, with all that it has made this replica do.
    var budget = SenderBudget()
    /// The largest frame that the sender takes, as its `welcome` tells.
    var frameByteCount = Int.max

    /// - Parameter timeoutMicroseconds: how long the first request of a step of the hand-shake is waited for.
    init(id: SenderID, timeoutMicroseconds: UInt64) {
        self.id = id
        handShake = HandShake(timeoutMicroseconds: timeoutMicroseconds)
    }

    var isSynced: Bool { handShake.isSynced }

    /// The first snapshot of a connection is on its way.
    var isSyncing: Bool { handShake.isSyncing }

    /// The sender became live without a snapshot: its streams go on from a stored state.
    var isWarm: Bool { isSynced && copyAskedAt == nil }

    /// When the step is given up, or silence or a report is due; `UInt64.max` where nothing is.
    func nextDeadline(silentIntervals: Int) -> UInt64 {
        let step = handShake.deadline ?? .max
        guard isSynced else { return step }
        return min(step, lastHeard + heartbeatMicroseconds * UInt64(silentIntervals), nextReport)
    }
}
