public import ModelWire

/// How a relay works.
public struct RelayMachineConfiguration: Sendable {
    /// The role of a process towards those who ask it.
    public enum Role: String, Sendable {
        /// The process sends on what it hears, and takes pushes.
        case relay
        /// The process only answers from its copy, as the control endpoint of a subscriber does. A push is refused. It
        /// follows every stream, even where the heads of all no longer fit into one answer, which is refused then.
        case subscriber
    }

    /// The role of the process towards those who ask it.
    public var role = Role.relay
    /// The relay's name, unique in the deployment, among those of origins too.
    public var name: String
    /// Where replicas find the relay's stream; told in `welcome`.
    public var streamEndpoint: String
    /// How the relay listens to its senders. Its name and limits are the relay's own.
    public var replica: ReplicaConfiguration
    /// The limits of what is sent and accepted.
    public var limits: WireLimits
    /// How often `heads` go out.
    public var heartbeatInterval: Duration
    /// A chunk of a snapshot is closed when its records take this many bytes.
    public var chunkByteCount: Int
    /// A peer that has not been heard of for this long is forgotten.
    public var peerTimeout: Duration
    /// How many bytes of forwarded frames are held for replay; 0 for none.
    public var replayByteCount: Int
    /// How long a forwarded frame is held for replay.
    public var replayAge: Duration
    /// The requests that each peer is granted.
    public var budget: RequestBudget
    /// For how long after its start a relay answers `busy` to snapshots until it has been live with all its senders.
    /// After that it serves what it has: a sender may be gone for good, or be a relay that waits for this one.
    public var settleTime: Duration
    /// Whether a pushed batch is merged, sent on and acknowledged only when ``RelayMachine/persisted(_:now:)`` has been
    /// called for it. If not, that is done at once.
    public var persistsPushes: Bool

    /// The defaults, but for the name and the endpoint.
    public init(
        name: String, streamEndpoint: String, prefixes: [[UInt8]] = [Array("m/".utf8)],
        limits: WireLimits = .default, clockLeadMax: Duration = .seconds(300),
        heartbeatInterval: Duration = .milliseconds(500), chunkByteCount: Int = 128 * 1024,
        peerTimeout: Duration = .seconds(4), replayByteCount: Int = 64 << 20, replayAge: Duration = .seconds(60),
        budget: RequestBudget = RequestBudget(), settleTime: Duration = .seconds(5),
        persistsPushes: Bool = false, tombstoneRetention: Duration = .seconds(24 * 3600)
    ) {
        self.name = name
        self.streamEndpoint = streamEndpoint
        self.limits = limits
        self.heartbeatInterval = heartbeatInterval
        self.chunkByteCount = chunkByteCount
        self.peerTimeout = peerTimeout
        self.replayByteCount = replayByteCount
        self.replayAge = replayAge
        self.budget = budget
        self.settleTime = settleTime
        self.persistsPushes = persistsPushes
        replica = ReplicaConfiguration(
            name: name, prefixes: prefixes, limits: limits, clockLeadMax: clockLeadMax,
            tombstoneRetention: tombstoneRetention, forwardsBatches: true)
    }
}
