public import ModelCache
public import ModelRecord
import ModelSigning
import ModelWire

/// The publishing side as a state machine: writes, requests, subscriptions and ticks go in, actions come out.
///
/// An origin stamps each write, merges it into its own copy, appends it to the open batch of its topic, numbers the
/// batches, tells heads, answers barriers and serves snapshots. It has no socket, no clock and no thread: its owner
/// calls it from one thread at a time, passes the time in and does what ``takeActions()`` returns.
public struct Origin {
    /// How the origin works.
    public private(set) var configuration: OriginConfiguration
    /// This start of the origin; a later start has a greater one. It changes while the origin runs: when others know of
    /// a later start, when models of an earlier one are taken back, and when nobody takes its stamps. Only in the last
    /// case it may become smaller.
    public internal(set) var incarnation: UInt64
    /// The origin's own copy: everything that it has published.
    public let cache: ModelCache
    /// What the origin has counted since it started.
    public internal(set) var counters = Counters()

    var clock: HybridClock
    /// The name, as it stands in what is sent and merged.
    let name: (bytes: [UInt8], hash: UInt64)
    var types: [String: OriginType] = [:]
    /// The type that was written last: the next write is mostly of the same type.
    var lastType: OriginType?
    var topics: [TopicState] = []
    /// How many bytes the heads of all topics may take in one message.
    var headsByteCount = 0
    /// The topics with an open batch, in the order in which they were opened.
    var open: [Int] = []
    var actions: [OriginAction] = []
    var outboxByteCount = 0
    /// The signatures of what is sent.
    var signature: OriginSignature
    var pairs = PairFilter()
    var service: ControlService
    /// Barriers that wait to be answered together, and when they may be.
    var barriers = WaitingBarriers()
    /// The batches that were sent last, for replay.
    public internal(set) var ring: ReplayRing
    /// The time of the last tick. A batch is taken to be sent then, because no time is passed in when it is closed.
    var ringTime: UInt64
    /// The topics that a former incarnation has sent on, or may have. They are told with head 0 until this one sends on
    /// them.
    var formerTopics: Set<Int> = []
    /// Transactions over several topics have been sent, or may have been by an earlier start.
    var hasTransactions = false
    /// The pauses between starts anew that reports cause: two processes of one name would outdo each other without end.
    var renewals = GrowingPause()
    /// The pauses between notices of reports that nobody can follow.
    var absurdReports = GrowingPause()
    /// Stamps that lay, or lie, ahead of the wall clock.
    var ahead = ClockAhead()
    var sweep = TombstoneSweep()
    /// The models that end.
    var expiries = ExpiryQueue()
    /// The leases that this run holds.
    var leases: OriginLeases
    /// When heads are told next, and how often they were.
    var heartbeat: (next: UInt64?, count: Int) = (nil, 0)

    /// An origin that starts now.
    /// - Parameters:
    ///   - cache: what an earlier start has stored, else empty; only this origin may write it.
    ///   - seen: the greatest stamp known of an earlier start, so that this incarnation is above it.
    /// - Throws: `NameError` for a name outside `[A-Za-z0-9_.-]{1,64}`.
    public init(
        configuration: OriginConfiguration, cache: ModelCache, now: Moment, after seen: UInt64 = 0
    ) throws(NameError) {
        try Names.check(origin: configuration.name)
        self.configuration = configuration
        self.cache = cache
        name = (Array(configuration.name.utf8), Fingerprint.fnv(configuration.name))
        service = ControlService(
            configuration: ControlService.Configuration(
                name: configuration.name, role: "publisher", streamEndpoint: configuration.streamEndpoint,
                limits: configuration.limits, heartbeatInterval: configuration.heartbeatInterval,
                chunkByteCount: configuration.chunkByteCount, budget: configuration.budget,
                versions: configuration.versions))
        ring = ReplayRing(byteCountMax: configuration.replayByteCount, ageMax: configuration.replayAge)
        ringTime = now.uptimeMicroseconds
        clock = HybridClock(last: seen)
        incarnation = clock.tick(nowMilliseconds: now.wallMilliseconds)
        signature = OriginSignature(key: configuration.signingKey, since: configuration.heldSince ?? incarnation)
        leases = OriginLeases(since: incarnation, startedAt: now.uptimeMicroseconds)
        hasTransactions = !cache.types.isEmpty
        holdFormer(cache.types)
        noteExpiries(now: now)
    }

    /// Tells another endpoint of the stream than configured, because the system has chosen a port.
    public mutating func rename(streamEndpoint: String) {
        configuration.streamEndpoint = streamEndpoint
        service.configuration.streamEndpoint = streamEndpoint
    }

    /// Returns the pending actions, in order, and clears them.
    public mutating func takeActions() -> [OriginAction] {
        sealBatches()
        outboxByteCount = 0
        defer { actions = [] }
        return actions
    }

    /// The bytes that wait in actions and open batches.
    ///
    /// Mutating only for speed, though it changes nothing: it is read before each write, and the compiler would copy a
    /// kilobyte of a value that is borrowed.
    public var pendingByteCount: Int {
        mutating get {
            var byteCount = outboxByteCount
            for index in open { byteCount += topics[index].batch.byteCount }
            return byteCount
        }
    }

    /// The greatest stamp that was taken or seen: the next start must begin above it.
    public var lastStamp: Stamp { clock.last }

    /// Whether there is an update that no action has handed out.
    public var hasOpenBatch: Bool { !open.isEmpty }

    /// When the oldest open batch was opened, on the clock of ``Moment/uptimeMicroseconds``; nil when none is open.
    public var openSince: UInt64? { open.first.map { topics[$0].openSince } }

    /// Whether ``takeActions()`` has anything to return.
    public var hasActions: Bool { !actions.isEmpty }

    /// The state of a type, made at its first use.
    mutating func state(of type: String) throws(WireError) -> OriginType {
        if let lastType, lastType.name == type { return lastType }
        if let state = types[type] {
            lastType = state
            return state
        }
        do { try Names.check(type: type) } catch { throw WireError(error) }
        let partitions = configuration.partitionsByType[type] ?? configuration.partitions
        try makeRoom(for: type, partitions)
        let state = OriginType(name: type, partitions: partitions, table: cache.table(type), firstTopic: topics.count)
        for partition in 0..<partitions.rawValue {
            let bucket = partition * (256 / partitions.rawValue)
            topics.append(TopicState(topic: .data(type: type, partitions: partitions, bucket: bucket)))
        }
        types[type] = state
        return state
    }

    /// Takes room for the heads of the topics of a type: the heads of all topics have to fit into one message.
    private mutating func makeRoom(for type: String, _ partitions: Partitions) throws(WireError) {
        let topic = Topic.data(type: type, partitions: partitions, bucket: 0)
        let byteCount = headsByteCount + partitions.rawValue * HeadsBudget.byteCount(topic)
        let byteCountMax = HeadsBudget.listByteCountMax(frameByteCount: configuration.limits.frameByteCount)
        guard byteCount + HeadsBudget.byteCount(origin: configuration.name) <= byteCountMax else {
            throw WireError(
                .limit,
                "\(type) would be one type too many: the heads of \(topics.count + partitions.rawValue) topics do not "
                    + "fit into one message; use fewer types or partitions, or raise frameByteCount on all sides")
        }
        headsByteCount = byteCount
    }

    mutating func publish(_ topic: Topic, _ payload: [UInt8]) {
        outboxByteCount += payload.count
        actions.append(.publish(topic: topic, payload: payload))
    }
}
