public import ModelSync

/// How the machines of a simulation work.
public struct SimulationSettings: Sendable {
    /// How often publishers and relays send `heads`.
    public var heartbeatInterval = Duration.milliseconds(100)
    /// How long a hole may stay open before it is repaired.
    public var holeGrace = Duration.milliseconds(30)
    /// The most that a snapshot for a repair is put off by chance.
    public var repairJitterMax = Duration.milliseconds(50)
    /// How long a request may stay without an answer before it is sent again.
    public var requestTimeout = Duration.milliseconds(400)
    /// How long a relay that has started serves no copies while a sender's first snapshot is not here.
    var settleTime: Duration { requestTimeout * 5 / 2 }
    /// How often replicas report to their senders. A peer that is silent for four intervals is forgotten.
    public var reportInterval = Duration.milliseconds(300)
    /// How far a stamp may lie ahead of a replica's wall clock.
    public var clockLeadMax = Duration.seconds(300)
    /// How long replicas and relays remember deleted models.
    ///
    /// Where a node may be away for longer, give each model one writer. A publisher's own copy keeps what it has
    /// written, whatever others have deleted of it, and brings it back when the delete is forgotten.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    /// The size in bytes at which a batch is closed.
    public var batchByteCount = 256
    /// The size in bytes of a snapshot's chunks.
    public var chunkByteCount = 256
    /// How many chunks of a snapshot may be on their way to a replica.
    public var snapshotCredit = 2
    /// How many bytes of frames publishers and relays hold for replay.
    public var replayByteCount = 1 << 20
    /// The budget of requests that publishers and relays grant each peer.
    public var budget = RequestBudget()
    /// How many names relays and replicas tell of and keep; nil for the defaults.
    var names: NameBounds?
    /// Whether heads carry digests, which find differences that nothing else has found.
    public var hasDigests = true
    /// Whether replicas and relays hold their senders to grants: a publisher may write as itself, a relay may hand on
    /// what others wrote.
    public var hasGrants = false
    /// Whether origins sign all that they send, and replicas and relays take nothing else.
    public var hasSignatures = false
    /// Whether publishers lease some of their models.
    var hasLeases = false
    /// The longest lease, in milliseconds.
    static let leaseMillisecondsMax = 2_000
    /// The protection that is switched off, to prove that the checkers find that out; nil for none.
    public var sabotage: Sabotage?

    /// Settings with the defaults above.
    public init() {}

    /// Bounds on names that are far lower than real ones, so that a few names reach them.
    struct NameBounds {
        /// How many bytes the heads of pushed streams may take.
        let told: Int
        let kept: Int
        let quiet: Duration
    }
}
