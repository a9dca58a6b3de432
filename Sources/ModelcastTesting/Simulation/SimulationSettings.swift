public import ModelSync

/// How the machines of a simulation work.
public struct SimulationSettings: Sendable {
    public var heartbeatInterval = Duration.milliseconds(100)
    public var holeGrace = Duration.milliseconds(30)
    public var repairJitterMax = Duration.milliseconds(50)
    public var requestTimeout = Duration.milliseconds(400)
    public var reportInterval = Duration.milliseconds(300)
    public var clockLeadMax = Duration.seconds(300)
    /// How long replicas and relays remember deleted models.
    ///
    /// Where it is shorter than a node may be away for, give each model one writer: what a publisher has written is in
    /// its own copy, whatever others have deleted of it, and comes back from there when the delete is forgotten.
    public var tombstoneRetention = Duration.seconds(24 * 3600)
    public var batchByteCount = 256
    public var chunkByteCount = 256
    public var snapshotCredit = 2
    /// What publishers and relays hold for replay.
    public var replayByteCount = 1 << 20
    /// What publishers and relays grant their peers.
    public var budget = RequestBudget()
    /// How much is told and kept of names; nil for the defaults.
    var names: NameBounds?
    /// Heads carry digests, which find what all else has missed.
    public var hasDigests = true
    /// A protection that is switched off, to see that the checkers find out.
    public var sabotage: Sabotage?

    public init() {}

    /// Far less than in real life, where there are thousands of names.
    struct NameBounds {
        /// Bytes of heads of what is pushed.
        let told: Int
        let kept: Int
        let quiet: Duration
    }
}
