public import ModelCache
import ModelRecord
import ModelWire

/// The receiving side as a state machine: frames and ticks of any number of senders go in, commits to the cache and
/// actions come out.
///
/// It follows section 6 of the protocol article: hello, barrier, snapshot, then live; holes are found by sequences,
/// heads and digests and mended while reads go on. It has no socket, no clock and no thread: whoever owns it calls it
/// from one thread at a time, passes the time in and does what ``takeActions()`` returns.
public final class Replica {
    public let configuration: ReplicaConfiguration
    /// Where everything is merged. Others may read it at any time; nobody else may write it.
    public let cache: ModelCache
    public internal(set) var counters = Counters()

    /// Durations that each batch is held against, in whole numbers: to take one apart means to divide 128 bits.
    let clockLeadMilliseconds, retentionMilliseconds, reportMicroseconds: UInt64

    var sessions: [SenderSession] = []
    var streams: [StreamKey: StreamState] = [:]
    /// What was found last: mostly the next batch is of the same stream, and no key needs to be hashed.
    var lastStream: StreamState?
    var lastTopic: Topic?
    /// The streams of each type.
    var streamsByType: [String: [StreamState]] = [:]
    /// The streams of each origin.
    var streamsByOrigin: [String: [StreamState]] = [:]
    /// All streams by origin and topic, but for those that were met since it was asked for.
    private var ordered: [StreamState] = []
    private var unordered: [StreamState] = []
    /// The streams with a hole, a repair or something rejected.
    var unsettled = UnsettledStreams()
    /// The stream whose repair has asked for everything last.
    var wholeRepair: StreamState?
    /// The requests under way that repairs and audits have made, by number.
    var requests: [UInt64: (sender: SenderID, purpose: RequestPurpose)] = [:]
    /// The origins that have sent transactions over several topics, as their heads tell and their batches show.
    var groupedOrigins: Set<String> = []
    /// The origins whose batches are pushed to relays.
    var pushedOrigins: Set<String> = []
    var audits = AuditTable()
    var nextReview: UInt64 = 0
    var renewal: Renewal?
    var sweep = TombstoneSweep()
    var nextSweep: UInt64 = 0
    /// When the state in the cache was last known to be in contact with its senders, before this start.
    let lastAlive: UInt64?
    var topics: [[UInt8]: Topic] = [:]
    /// The greatest incarnation of each origin that `heads` have told.
    var latestStarts: [String: UInt64] = [:]
    /// The origins of which a later start is not followed on all topics yet.
    var startsUnderWay: [String: StartUnderWay] = [:]
    /// The start of each origin of which the log was told last.
    var loggedStarts: [String: UInt64] = [:]
    /// The greatest incarnation of each origin that the origin itself or a batch has told.
    var provenStarts: [String: UInt64] = [:]
    /// The origins of which others may have told a later start than those.
    var claimedStarts: Set<String> = []
    /// The origins of which somebody has pushed batches here.
    var ownPushed: Set<String> = []
    /// The greatest stamp that the heads of each origin have told, of whichever start: a later start must be above it.
    var latestStamps: [String: Stamp] = [:]
    /// How many lines on clocks were logged, and when the next may be.
    var clockNoticeCount = 0
    var nextClockNotices: UInt64 = 0
    /// The origins of which the log was told last that they are rejected for their clocks.
    var toldRejected: Set<String> = []
    /// The origins of which a later start was met.
    var restartedOrigins: Set<String> = []
    var groups = GroupAssembler()
    var bounds = FollowingBounds()
    /// Where the heads of all streams must fit into one message: at whoever serves others. Nil elsewhere.
    var room: HeadsRoom?
    /// When others may be asked to make room again, and when names may be forgotten again.
    var nextMakingRoom: UInt64 = 0
    var nextForgetting: UInt64 = 0
    var forgotten = ForgottenStreams()
    /// Some names that were followed are not told.
    var leavesNamesOut = false
    /// The log was told that a stream or an origin is not followed.
    var hasToldRefusal = false
    var decoder: BatchDecoder
    /// For the parts of transactions, which are decoded again when all are here.
    var groupDecoder: BatchDecoder
    var generator: SeededGenerator
    var nextRID: UInt64 = 1
    var actions: [ReplicaAction] = []

    /// - Parameters:
    ///   - seed: where barrier topics and jitter come from; any number that differs between processes.
    ///   - lastAlive: where the cache holds the state of an earlier run: when that was last in contact with its
    ///     senders, in milliseconds of the wall clock. Longer ago than the retention of deleted models, and the state
    ///     is built anew.
    public init(configuration: ReplicaConfiguration, cache: ModelCache, seed: UInt64, lastAlive: UInt64? = nil) {
        self.lastAlive = lastAlive
        self.configuration = configuration
        self.cache = cache
        clockLeadMilliseconds = configuration.clockLeadMax.wholeMicroseconds / 1000
        retentionMilliseconds = configuration.tombstoneRetention.wholeMicroseconds / 1000
        reportMicroseconds = configuration.reportInterval.wholeMicroseconds
        decoder = BatchDecoder(limits: configuration.limits)
        groupDecoder = BatchDecoder(limits: configuration.limits)
        generator = SeededGenerator(seed: seed)
    }

    /// A stream is followed from now on.
    func add(_ stream: StreamState) {
        streams[stream.key] = stream
        streamsByType[stream.type, default: []].append(stream)
        streamsByOrigin[stream.key.origin, default: []].append(stream)
        unordered.append(stream)
    }

    /// The streams of these origins are followed no more.
    /// - Returns: those that were.
    func remove(streamsOf origins: Set<String>) -> [StreamState] {
        let removed = origins.flatMap { streamsByOrigin.removeValue(forKey: $0) ?? [] }
        for stream in removed { streams[stream.key] = nil }
        for type in Set(removed.map(\.type)) {
            streamsByType[type]?.removeAll { origins.contains($0.key.origin) }
        }
        ordered.removeAll { origins.contains($0.key.origin) }
        unordered.removeAll { origins.contains($0.key.origin) }
        lastStream = nil
        if let stream = wholeRepair, origins.contains(stream.key.origin) { wholeRepair = nil }
        return removed
    }

    /// All streams, in one order on every machine: by origin and topic.
    var streamsInOrder: [StreamState] {
        if !unordered.isEmpty {
            let new = unordered.sorted { $0.precedes($1) }
            unordered = []
            guard !ordered.isEmpty else {
                ordered = new
                return ordered
            }
            var merged: [StreamState] = []
            merged.reserveCapacity(ordered.count + new.count)
            var position = 0
            for stream in ordered {
                while position < new.count, new[position].precedes(stream) {
                    merged.append(new[position])
                    position += 1
                }
                merged.append(stream)
            }
            ordered = merged + new[position...]
        }
        return ordered
    }

    /// Adds a sender. Call ``connected(_:now:)`` when its control connection has been opened.
    public func addSender() -> SenderID {
        let id = SenderID(index: sessions.count)
        sessions.append(SenderSession(id: id))
        return id
    }

    /// Hands over what there is to do, in order, and forgets it.
    public func takeActions() -> [ReplicaAction] {
        defer { actions = [] }
        return actions
    }

    /// There is something for ``takeActions()``.
    public var hasActions: Bool { !actions.isEmpty }

    func takeRID() -> UInt64 {
        defer { nextRID += 1 }
        return nextRID
    }

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

    /// Everything that the replica asks for.
    var prefixes: [Topic] { configuration.prefixes.map { Topic(bytes: $0) } }

    /// The replica asked for this topic.
    func isWanted(_ topic: Topic) -> Bool {
        configuration.prefixes.contains { topic.overlaps($0) }
    }
}
