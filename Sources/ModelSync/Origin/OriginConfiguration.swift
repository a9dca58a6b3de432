public import ModelRecord
public import ModelSigning
public import ModelWire

/// How an origin works.
public struct OriginConfiguration: Sendable {
    /// The origin's name, unique in the deployment.
    public var name: String
    /// Where replicas find the stream; told in `welcome`.
    public var streamEndpoint: String
    /// The limits of what is sent and accepted.
    public var limits: WireLimits
    /// How often `heads` goes out.
    public var heartbeatInterval: Duration
    /// A batch is closed when its updates take this many bytes.
    public var batchByteCount: Int
    /// A chunk of a snapshot is closed when its records take this many bytes.
    public var chunkByteCount: Int
    /// The partitions of types that are not named in ``partitionsByType``.
    public var partitions: Partitions
    /// The partitions of single types.
    public var partitionsByType: [String: Partitions]
    /// A peer that has not been heard of for this long is forgotten.
    public var peerTimeout: Duration
    /// How many bytes of sent frames are held for replay; 0 for none.
    public var replayByteCount: Int
    /// How long a sent frame is held for replay.
    public var replayAge: Duration
    /// The requests that each peer is granted.
    public var budget: RequestBudget
    /// How far a report of this origin's own later start may move the clock ahead of the wall clock; at most
    /// ``ReplicaConfiguration/clockLeadCeiling``.
    public var clockLeadMax: Duration {
        didSet { clockLeadMax = ReplicaConfiguration.acceptable(clockLead: clockLeadMax) }
    }
    /// How long deleted models are remembered. Must be the same at all processes.
    public var tombstoneRetention: Duration
    /// The key with which every batch is signed, and what the copy holds; nil for no signatures.
    public var signingKey: SigningKey?
    /// The start since which the cache of a new origin holds all that it has written, so that is signed as well; nil
    /// where a store may lack the last writes, or there was none.
    public var heldSince: Stamp?
    /// The versions of the protocol that are spoken; others than those of this release for tests.
    package var versions = ProtocolVersions.current

    /// The defaults, but for the name and the endpoint.
    public init(
        name: String, streamEndpoint: String, limits: WireLimits = .default,
        heartbeatInterval: Duration = .milliseconds(500), batchByteCount: Int = 32 * 1024,
        chunkByteCount: Int = 128 * 1024, partitions: Partitions = .one,
        partitionsByType: [String: Partitions] = [:], peerTimeout: Duration = .seconds(4),
        replayByteCount: Int = 64 << 20, replayAge: Duration = .seconds(60), budget: RequestBudget = RequestBudget(),
        clockLeadMax: Duration = .seconds(300), tombstoneRetention: Duration = .seconds(24 * 3600)
    ) {
        self.name = name
        self.streamEndpoint = streamEndpoint
        self.limits = limits
        self.heartbeatInterval = heartbeatInterval
        self.batchByteCount = batchByteCount
        self.chunkByteCount = chunkByteCount
        self.partitions = partitions
        self.partitionsByType = partitionsByType
        self.peerTimeout = peerTimeout
        self.replayByteCount = replayByteCount
        self.replayAge = replayAge
        self.budget = budget
        self.clockLeadMax = ReplicaConfiguration.acceptable(clockLead: clockLeadMax)
        self.tombstoneRetention = tombstoneRetention
    }
}
