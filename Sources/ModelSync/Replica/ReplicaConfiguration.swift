public import ModelWire

/// How a replica works.
public struct ReplicaConfiguration: Sendable {
    /// The name that senders see, in `hello` and reports.
    public var name: String
    /// The topics that are replicated, as byte prefixes of data topics such as `m/User/`; `m/` for everything.
    public var prefixes: [[UInt8]]
    /// The limits of what a message may hold; a frame past a limit is dropped and counted.
    public var limits: WireLimits
    /// A batch whose stamp lies further ahead of the wall clock is rejected; at most ``clockLeadCeiling``.
    public var clockLeadMax: Duration {
        didSet { clockLeadMax = ReplicaConfiguration.acceptable(clockLead: clockLeadMax) }
    }
    /// How long a hole may stay open before it is repaired: the missing batch may still be on its way.
    public var holeGrace: Duration
    /// The longest random delay before a snapshot for a repair, so that many replicas do not ask together. A replay is
    /// delayed by up to a twentieth of it, or by up to all of it while four other repairs are under way here.
    public var repairJitterMax: Duration
    /// How many batches one replay asks for, at most.
    public var replayBatchCount: Int
    /// How many batches may be missing for a replay. Where more are missing, the topic is taken from a copy of a
    /// sender.
    public var replayMax: Int
    /// The longest pause between two attempts of a repair that keeps failing; an eighth of ``tombstoneRetention`` where
    /// that is shorter.
    public var repairPauseMax: Duration
    /// How many chunks of a snapshot may be on their way.
    public var snapshotCredit: Int
    /// How long a request may stay without any answer before it is sent again.
    public var requestTimeout: Duration
    /// How often a report goes to each sender.
    public var reportInterval: Duration
    /// Without `heads` for this many intervals a sender counts as silent.
    public var silentIntervals: Int
    /// How long deleted models are remembered. A replica that was without word from a sender for longer starts anew.
    public var tombstoneRetention: Duration
    /// Whether each batch that is new here is handed out again as an action
    /// (``ReplicaAction/forward(topic:payload:origin:incarnation:sequence:)``), as a relay needs it.
    public var forwardsBatches: Bool
    /// The versions of the protocol that are spoken; others than those of this release for tests.
    package var versions = ProtocolVersions.current

    /// The defaults, but for the name.
    public init(
        name: String, prefixes: [[UInt8]] = [Array("m/".utf8)], limits: WireLimits = .default,
        clockLeadMax: Duration = .seconds(300), holeGrace: Duration = .milliseconds(50),
        repairJitterMax: Duration = .milliseconds(500), replayBatchCount: Int = 64, replayMax: Int = 4096,
        repairPauseMax: Duration = .seconds(10), snapshotCredit: Int = 16,
        requestTimeout: Duration = .seconds(2), reportInterval: Duration = .seconds(1), silentIntervals: Int = 3,
        tombstoneRetention: Duration = .seconds(24 * 3600), forwardsBatches: Bool = false
    ) {
        self.name = name
        self.prefixes = prefixes
        self.limits = limits
        self.clockLeadMax = ReplicaConfiguration.acceptable(clockLead: clockLeadMax)
        self.holeGrace = holeGrace
        self.repairJitterMax = repairJitterMax
        self.replayBatchCount = max(replayBatchCount, 1)
        self.replayMax = max(replayMax, 0)
        self.repairPauseMax = repairPauseMax
        self.snapshotCredit = snapshotCredit
        self.requestTimeout = requestTimeout
        self.reportInterval = reportInterval
        self.silentIntervals = silentIntervals
        self.tombstoneRetention = tombstoneRetention
        self.forwardsBatches = forwardsBatches
    }
}

extension ReplicaConfiguration {
    /// The most that a stamp may ever lie ahead of the wall clock (protocol article, section 8).
    public static let clockLeadCeiling = Duration.seconds(24 * 3600)

    /// The value brought into the range from nothing to the ceiling.
    static func acceptable(clockLead: Duration) -> Duration { min(max(clockLead, .zero), clockLeadCeiling) }

    /// A pause of a repair or of a comparison, in microseconds: not longer than an eighth of the retention. What is
    /// missing may be a delete, and a copy that still lacks it when the others have forgotten it brings the model back.
    func bounded(pause: UInt64) -> UInt64 { min(pause, tombstoneRetention.wholeMicroseconds / 8) }

    /// ``repairPauseMax`` as it holds beside the retention, in microseconds.
    var repairPauseMicroseconds: UInt64 { bounded(pause: repairPauseMax.wholeMicroseconds) }
}
