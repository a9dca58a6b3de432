@_spi(CacheWriting) public import ModelCache
import ModelRecord
import ModelWire

/// The receiving side as a state machine: frames and ticks of any number of senders go in, commits to the cache and
/// actions come out.
///
/// A replica follows section 6 of the protocol article: hello, barrier, snapshot, then live. Holes are found by
/// sequences, heads and digests, and mended while reads go on. A replica has no socket, no clock and no thread: its
/// owner calls it from one thread at a time, passes the time in and does what ``takeActions()`` returns.
public final class Replica {
    /// How the replica works.
    public let configuration: ReplicaConfiguration
    /// The cache that the replica merges into. Any thread may read it at any time; only the replica may write it.
    public let cache: ModelCache
    /// The counts of the replica since it started.
    public internal(set) var counters = Counters()

    /// The copy has limits, so models may leave it.
    let isLimited: Bool
    /// Only what is fetched comes into the copy.
    let isLazy: Bool
    var clockGuard: ClockGuard
    var sessions: [SenderSession] = []
    var requests: RequestLedger
    var streams = StreamTable()
    var origins = OriginTable()
    var groups = GroupAssembler()
    var audits = AuditTable()
    /// The origins that lease models.
    var leases = LeaseTable()
    var renewal: Renewal?
    /// Models on their way back into a copy with limits.
    var fetches = FetchTable()
    var upkeep: Upkeep
    /// The signatures that are looked at; nil where none has to be there.
    var signatures: SignatureCheck?
    /// The errors of senders.
    var errors = DistinctErrors()

    var decoder: BatchDecoder
    /// Decodes the parts of a transaction a second time, when all of them are here.
    var groupDecoder: BatchDecoder
    var actions: [ReplicaAction] = []

    /// - Parameters:
    ///   - now: the time of the start. Leaps of the wall clock are told from it, also one before the first tick.
    ///   - seed: the seed of barrier topics and jitter; any number that differs between processes.
    ///   - lastAlive: when the state of an earlier run, which the cache holds, was last in contact with its senders, in
    ///     milliseconds of the wall clock; nil where there is no such state. A state that is older than the retention
    ///     of deleted models is built anew.
    public init(
        configuration: ReplicaConfiguration, cache: ModelCache, now: Moment, seed: UInt64, lastAlive: UInt64? = nil
    ) {
        self.configuration = configuration
        self.cache = cache
        (isLimited, isLazy) = (cache.isLimited, cache.isLazy)
        clockGuard = ClockGuard(configuration, lastAlive: lastAlive)
        requests = RequestLedger(seed: seed)
        upkeep = Upkeep(now: now)
        decoder = BatchDecoder(limits: configuration.limits)
        groupDecoder = BatchDecoder(limits: configuration.limits)
    }

    /// Adds a sender. Call ``connected(_:now:)`` when its control connection has been opened.
    public func addSender() -> SenderID {
        let id = SenderID(index: sessions.count)
        let session = SenderSession(id: id, timeoutMicroseconds: configuration.requestTimeout.wholeMicroseconds)
        session.isJudged = signatures != nil
        sessions.append(session)
        return id
    }

    /// Returns the pending actions, in order, and clears them.
    public func takeActions() -> [ReplicaAction] {
        defer { actions = [] }
        return actions
    }

    /// Whether ``takeActions()`` has anything to return.
    public var hasActions: Bool { !actions.isEmpty }

    func send(_ request: ControlRequest, to sender: SenderID) {
        actions.append(.request(sender, payload: request.encode()))
    }

    func notice(_ kind: Notice.Kind, _ metadata: [String: String]) {
        actions.append(.notice(Notice(kind: kind, metadata: metadata)))
    }

    /// A name for the sender in notices.
    func label(_ sender: SenderID) -> String {
        let name = sessions[sender.index].name
        return name.isEmpty ? "#\(sender.index)" : name
    }

    /// The topic prefixes that the replica takes.
    var prefixes: [Topic] { configuration.prefixes.map { Topic(bytes: $0) } }

    /// Asks for the copy of a sender. A lazy replica asks for the heads alone, or for the ids as well.
    func askForCopy(_ prefixes: [Topic], _ rid: UInt64, of sender: SenderID) {
        counters[.snapshotsRequested] += 1
        let credit = UInt64(configuration.snapshotCredit)
        let request: ControlRequest =
            if !isLazy {
                .snapshot(rid: rid, prefixes: prefixes, credit: credit)
            } else if cache.keepsIDs {
                .ids(rid: rid, prefixes: prefixes, credit: credit)
            } else {
                .heads(rid: rid, prefixes: prefixes, credit: credit)
            }
        send(request, to: sender)
    }

    /// Takes the records of a sender's copy into this one, or into one that is made beside it. A lazy replica takes no
    /// more than their ids, if it takes those, whatever the sender has sent.
    func take(_ chunks: [RecordChunk], into commit: inout Commit) {
        for (type, records) in chunks {
            if cache.keepsIDs {
                commit.noteIDs(records, type: type)
            } else if !isLazy {
                commit.join(records, type: type)
            }
        }
    }

    /// The replica asked for this topic.
    func isWanted(_ topic: Topic) -> Bool {
        configuration.prefixes.contains { topic.overlaps($0) }
    }
}
