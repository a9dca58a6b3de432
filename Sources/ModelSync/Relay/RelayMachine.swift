public import ModelCache
public import ModelRecord
import ModelWire

/// A replica that serves others, as a state machine. It merges what its senders publish, sends it on unchanged, tells
/// heads for every origin, and serves snapshots, replays, fetches, digests and pushes.
///
/// Towards its senders a relay is a ``Replica``; towards its peers it does what an ``Origin`` does. A batch is sent on
/// once, however often it comes, and one of an earlier start of its origin whenever its transaction is news. So several
/// relays and several senders make copies of one stream, and loops of relays come to rest. A relay has no socket, no
/// clock and no thread: its owner calls it from one thread at a time, passes the time in and does what
/// ``takeActions()`` returns.
public final class RelayMachine {
    /// How the relay works.
    public private(set) var configuration: RelayMachineConfiguration
    /// The side that listens: for states and counters.
    public let replica: Replica
    /// The counts of the side that serves, since the start.
    public internal(set) var counters = Counters()
    /// The batches that were sent on last, for replay.
    public internal(set) var ring: ReplayRing

    let start: Start
    var clock: HybridClock
    var service: ControlService
    var sources = SourceTable()
    var pushes = PendingPushes()
    /// The parts of the copy that the owners of keys with limits hold by pushing.
    var pushAccounts = PushAccounts()
    var told = ToldHeads()
    var mutes = MuteTypes()
    var waitingFetches = WaitingFetches()
    /// The senders that are relays, by the names under which they speak: their own heads go no further. And those that
    /// turned out to be this relay, or to have its name.
    var senderRoles: (relayNames: [SenderID: String], refused: Set<SenderID>) = ([:], [])
    var actions: [RelayAction] = []
    var nextHeartbeat: UInt64?

    /// This start of the relay.
    struct Start {
        let incarnation: UInt64
        let uptimeMicroseconds: UInt64
        /// For how long before it the state that it began with had had no contact with senders.
        let absenceMilliseconds: UInt64
    }

    /// - Parameters:
    ///   - cache: the cache that the relay merges into; only this relay may write it.
    ///   - seed: the seed of barrier topics and jitter; any number that differs between processes.
    ///   - lastAlive: as ``Replica/init(configuration:cache:now:seed:lastAlive:)`` takes it.
    /// - Throws: `NameError` for a name outside `[A-Za-z0-9_.-]{1,64}`.
    public init(
        configuration: RelayMachineConfiguration, cache: ModelCache, now: Moment, seed: UInt64, lastAlive: UInt64? = nil
    ) throws(NameError) {
        try Names.check(origin: configuration.name)
        self.configuration = configuration
        var listening = configuration.replica
        listening.name = configuration.name
        listening.limits = configuration.limits
        listening.forwardsBatches = true
        replica = Replica(configuration: listening, cache: cache, now: now, seed: seed, lastAlive: lastAlive)
        if configuration.role == .relay {
            replica.boundHeads(frameByteCount: configuration.limits.frameByteCount)
        }
        clock = HybridClock()
        start = Start(
            incarnation: clock.tick(nowMilliseconds: now.wallMilliseconds), uptimeMicroseconds: now.uptimeMicroseconds,
            absenceMilliseconds: lastAlive.map { now.wallMilliseconds.subtractingOrZero($0) } ?? 0)
        ring = ReplayRing(byteCountMax: configuration.replayByteCount, ageMax: configuration.replayAge)
        service = ControlService(
            configuration: ControlService.Configuration(
                name: configuration.name, role: configuration.role.rawValue,
                streamEndpoint: configuration.streamEndpoint,
                limits: configuration.limits, heartbeatInterval: configuration.heartbeatInterval,
                chunkByteCount: configuration.chunkByteCount, budget: configuration.budget,
                versions: configuration.replica.versions))
    }

    /// The relay's copy.
    public var cache: ModelCache { replica.cache }

    /// Tells another endpoint of the stream than configured, because the system has chosen a port.
    public func rename(streamEndpoint: String) {
        configuration.streamEndpoint = streamEndpoint
        service.configuration.streamEndpoint = streamEndpoint
    }

    /// Returns the pending actions, in order, and clears them.
    public func takeActions() -> [RelayAction] {
        defer { actions = [] }
        return actions
    }

    /// Whether ``takeActions()`` has anything to return.
    public var hasActions: Bool { !actions.isEmpty }

    /// Does what is due on both sides. Call it every few milliseconds, at the latest at ``nextDeadline(now:)``.
    public func tick(now: Moment) {
        replica.tick(now: now)
        collect(now: now)
        answerBarriers(now: now)
        countModels(now: now)
        answerLateFetches(now: now)
        guard now.uptimeMicroseconds >= nextHeartbeat ?? 0 else { return }
        nextHeartbeat = now.uptimeMicroseconds + configuration.heartbeatInterval.wholeMicroseconds
        publishHeads(now: now)
        ring.forget(before: now.uptimeMicroseconds)
        service.tick(now: now, peerTimeout: configuration.peerTimeout, counters: &counters)
    }

    /// When ``tick(now:)`` next has something to do, on the clock of ``Moment/uptimeMicroseconds``.
    public func nextDeadline(now: Moment) -> UInt64 {
        min(
            replica.nextDeadline(now: now), nextHeartbeat ?? now.uptimeMicroseconds, service.barriers.dueAt ?? .max,
            pushAccounts.nextDeadline(now: now) ?? .max, waitingFetches.nextDeadline ?? .max)
    }

    /// Sends on the batches that the replica has taken, and passes on its other actions.
    /// - Parameter isRestoring: the batches are from a store, and no news of their origins.
    func collect(now: Moment, isRestoring: Bool = false) {
        for action in replica.takeActions() {
            guard case .forward(let topic, let payload, let origin, let incarnation, let sequence) = action else {
                if let sender = action.sender, senderRoles.refused.contains(sender) { continue }
                if case .fetched(let token, let records) = action, let entry = waitingFetches.take(token) {
                    answer(entry, with: records, now: now)
                    continue
                }
                actions.append(.replica(action))
                continue
            }
            if !isRestoring { sources.meet(origin, at: now.uptimeMicroseconds) }
            ring.append(
                ReplayRing.Stream(origin: origin, incarnation: incarnation, topic: topic), sequence: sequence,
                payload: payload, at: now.uptimeMicroseconds)
            counters[.forwardedBatches] += 1
            actions.append(.publish(topic: topic, payload: payload))
        }
    }
}

extension ReplicaAction {
    /// The sender that the action concerns; nil for none.
    fileprivate var sender: SenderID? {
        switch self {
        case .connectStream(let sender, _), .subscribe(let sender, _), .unsubscribe(let sender, _),
            .request(let sender, _), .reconnect(let sender):
            sender
        case .notice, .forward, .fetched: nil
        }
    }
}
