public import ModelWire

/// How a replica works.
public struct ReplicaConfiguration: Sendable {
    /// The name that senders see, in `hello` and reports.
    public var name: String
    /// What is replicated: byte prefixes of data topics, such as `m/User/`; `m/` for everything.
    public var prefixes: [[UInt8]]
    public var limits: WireLimits
    /// A batch whose stamp lies further ahead of the wall clock is rejected; at most ``clockLeadCeiling``.
    public var clockLeadMax: Duration {
        didSet { clockLeadMax = ReplicaConfiguration.acceptable(clockLead: clockLeadMax) }
    }
    /// How long a hole may stay open before it is repaired: the missing batch may still be on its way.
    public var holeGrace: Duration
    /// The most that a snapshot for a repair is put off by chance, so that many do not ask together; a replay by a
    /// twentieth of it, unless four other repairs are under way here.
    public var repairJitterMax: Duration
    /// How many batches one replay asks for.
    public var replayBatchCount: Int
    /// Where more batches are missing the topic is taken from a sender's copy.
    public var replayMax: Int
    /// The longest pause between two attempts of a repair that keeps failing.
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
    /// Each batch that is new here is handed out again as an action
    /// (``ReplicaAction/forward(topic:payload:origin:incarnation:sequence:)``): for a relay.
    public var forwardsBatches: Bool

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
}

/// One sender that a replica listens to: a publisher or a relay.
public struct SenderID: Hashable, Sendable {
    public let index: Int

    public init(index: Int) { self.index = index }
}

/// What a replica wants done.
public enum ReplicaAction: Sendable {
    /// Connect the stream socket to this endpoint, where `*` as host means the host of the control connection.
    case connectStream(SenderID, endpoint: String)
    /// Subscribe the sender's stream socket to this prefix.
    case subscribe(SenderID, prefix: [UInt8])
    case unsubscribe(SenderID, prefix: [UInt8])
    /// Send one frame on the sender's control socket.
    case request(SenderID, payload: [UInt8])
    /// Close both connections to the sender and open the control connection anew, then call `connected`.
    case reconnect(SenderID)
    /// Something that a person should hear of; for the log.
    case notice(Notice)
    /// A batch that is new here, in the order in which batches were accepted; only where
    /// ``ReplicaConfiguration/forwardsBatches`` is set. A part of a transaction comes when it arrives, which may be
    /// before the transaction is committed.
    case forward(topic: Topic, payload: [UInt8], origin: String, incarnation: UInt64, sequence: UInt64)
}

/// Something worth a line in the log, with what it is about.
public struct Notice: Sendable, CustomStringConvertible {
    public enum Kind: String, Sendable {
        case streamsStale = "streams have become stale"
        case streamsFresh = "streams are fresh again"
        case senderLive = "sender is live"
        case senderSilent = "sender has gone silent"
        case senderStopped = "sender has stopped in good order"
        case senderRefused = "sender refused a request"
        case versionMismatch = "sender speaks another protocol version"
        case holeFound = "hole found"
        case holeMended = "hole mended"
        case newIncarnation = "origin has started anew"
        case incarnationConflict = "two processes publish under one name"
        case digestMismatch = "digests differ at equal heads"
        case malformed = "malformed frame dropped"
        case clockRejected = "batch from the future rejected"
        case clockAccepted = "stamps of this origin are accepted again"
        case clockAhead = "the stamps of this publisher lie ahead of its clock"
        case clockRenewed = "nobody took stamps that lay ahead: they were written anew"
        case ownReflection = "a relay is connected to itself"
        case laterStart = "a later start of this origin is known to others"
        case pushFailed = "a relay does not take what is pushed"
        case incompleteTransactions = "transactions became visible without all their parts"
        case quarantined = "batch left out: malformed also when sent again"
        case unstaged = "snapshot too large to become visible in one step"
        case unsendable = "a field does not fit into a message: nobody gets it by a snapshot"
        case cutClients = "peers that take no answers were disconnected"
        case streamsRefused = "more streams than can be followed"
        case contradictedHeads = "a sender says of another origin what is not so"
        case startingAnew = "building the state anew"
        case startedAnew = "the state was built anew"
        case irreparable = "digests differ after all repairs"
    }

    public let kind: Kind
    /// Who or what, by the names of the protocol: sender, origin, topic, sequence, reason.
    public let metadata: [String: String]

    public var description: String {
        let details = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(kind.rawValue): \(details.joined(separator: " "))"
    }
}

/// The state of a replica towards one sender (protocol article, section 6).
public enum ReplicaState: String, Sendable, CaseIterable {
    /// Said hello, no welcome yet.
    case connecting
    /// Welcome; waiting for the barrier and the snapshot.
    case syncing
    /// Everything that the sender has sent has been applied.
    case live
    /// A hole was found and is being mended. Reads go on.
    case repairing
    /// Nothing heard from the sender for too long. Reads go on.
    case stale
}
