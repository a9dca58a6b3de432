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
    /// The counts of the origin since it started.
    public internal(set) var counters = Counters()

    var clock: HybridClock
    /// The name, as it stands in what is sent and merged.
    let name: (bytes: [UInt8], hash: UInt64)
    var topics = TopicTable()
    /// The actions that wait, and how many bytes of them are to be sent.
    var outbox: (actions: [OriginAction], byteCount: Int) = ([], 0)
    /// The signatures of what is sent.
    var signature: OriginSignature
    var pairs = PairFilter()
    var service: ControlService
    /// The batches that were sent last, for replay.
    public internal(set) var ring: ReplayRing
    /// The time of the last tick, and of the next heads, and how often those were told. A batch is taken to be sent at
    /// the last tick, because no time is passed in when it is closed.
    var ticks: (last: UInt64, nextHeads: UInt64?, headsCount: Int)
    /// The pauses between starts anew that reports cause, as two processes of one name would outdo each other without
    /// end, and between notices of reports that nobody can follow.
    var pauses = (starts: GrowingPause(), notices: GrowingPause())
    /// Stamps that lay, or lie, ahead of the wall clock.
    var ahead = ClockAhead()
    var sweep: TombstoneSweep
    /// The models that end at a time, those of them that wait for a wall clock which was set back, and the leases that
    /// this run holds.
    var endings: (expiries: ExpiryQueue, awaitingClock: ExpiryQueue, leases: OriginLeases)

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
        ticks = (now.uptimeMicroseconds, nil, 0)
        sweep = TombstoneSweep(now: now)
        clock = HybridClock(last: seen)
        incarnation = clock.tick(nowMilliseconds: now.wallMilliseconds)
        ahead.jumps.look(clock, now: now)
        signature = OriginSignature(key: configuration.signingKey, since: configuration.heldSince ?? incarnation)
        endings = (ExpiryQueue(), ExpiryQueue(), OriginLeases(since: incarnation, startedAt: now.uptimeMicroseconds))
        topics.hasTransactions = !cache.types.isEmpty
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
        outbox.byteCount = 0
        defer { outbox.actions = [] }
        return outbox.actions
    }

    /// The bytes that wait in actions and open batches.
    ///
    /// Mutating only for speed, though it changes nothing: it is read before each write, and the compiler would copy a
    /// kilobyte of a value that is borrowed.
    public var pendingByteCount: Int {
        mutating get {
            var byteCount = outbox.byteCount
            for index in topics.open { byteCount += topics[index].batch.byteCount }
            return byteCount
        }
    }

    /// The greatest stamp that was taken or seen: the next start must begin above it.
    public var lastStamp: Stamp { clock.last }

    /// Whether there is an update that no action has handed out.
    public var hasOpenBatch: Bool { !topics.open.isEmpty }

    /// When the oldest open batch was opened, on the clock of ``Moment/uptimeMicroseconds``; nil when none is open.
    public var openSince: UInt64? { topics.open.first.map { topics[$0].openSince } }

    /// Whether ``takeActions()`` has anything to return.
    public var hasActions: Bool { !outbox.actions.isEmpty }

    /// The state of a type, made at its first use.
    mutating func state(of type: String) throws(WireError) -> OriginType {
        if let state = topics.use(type) { return state }
        do { try Names.check(type: type) } catch { throw WireError(error) }
        let byteCountMax = HeadsBudget.listByteCountMax(frameByteCount: configuration.limits.frameByteCount)
        return try topics.add(
            type, configuration.partitionsByType[type] ?? configuration.partitions, table: cache.table(type),
            byteCountMax: byteCountMax - HeadsBudget.byteCount(origin: configuration.name))
    }

    mutating func publish(_ topic: Topic, _ payload: [UInt8]) {
        outbox.byteCount += payload.count
        outbox.actions.append(.publish(topic: topic, payload: payload))
    }
}
