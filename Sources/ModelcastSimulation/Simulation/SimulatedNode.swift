import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// One simulated process: what it is, whether it runs, its clock and its disk.
final class SimulatedNode {
    enum Kind: String {
        case publisher
        case relay
        case subscriber
        /// A short-lived process that pushes what it writes to relays.
        case job
    }

    let index: Int
    let name: String
    let kind: Kind
    let prefixes: [[UInt8]]
    let partitions: Partitions
    /// The machine of a publisher or job that runs.
    var origin: Origin?
    /// The machine that brings the batches of a job that runs to its relays.
    var pusher: Pusher?
    /// How a job works, and how far it has come.
    var job: JobState?
    /// The machine of a subscriber that runs.
    var subscriber: Replica?
    /// The machine of a relay that runs.
    var relay: RelayMachine?
    /// The last that the story told of the watched model here.
    var toldOfWatched: String?
    /// The number of the present life. It grows when the process dies; events of an earlier life are void.
    var life = 0
    /// How far its wall clock is off.
    var clockOffsetMilliseconds: Int64 = 0
    /// Its wall clock is a day ahead for a moment.
    var hasLeapt = false
    /// Until when its process is stopped.
    var stoppedUntil: UInt64 = 0
    var disk: SimulatedDisk
    /// When the next write behind begins.
    var nextWrite: UInt64 = 0
    let tickMicroseconds: UInt64
    /// The indices of the links to its senders, in the order of its replica's senders.
    var listening: [Int] = []
    /// The indices of the links from the nodes that listen to this one.
    var serving: [Int] = []
    var watch: CacheWatch
    /// How much of the models the copy of a subscriber holds; nil for all.
    var limits: CacheLimits?
    /// The models that were asked for, by the number of the question.
    var asked: [UInt64: [ModelKey]] = [:]
    /// The models that a fetch into a lazy copy has not found.
    var missing: Set<ModelKey> = []
    /// How many models the replica had brought back at the last check, and how often it had compared some.
    private var fetchedCount: UInt64 = 0
    /// The relays from which a publisher without a disk takes its models back when it starts again, by node.
    var recoversFrom: [Int] = []
    /// The progress of a publisher that is taking its models back.
    var recovery: RecoveryState?
    /// The lies of a publisher that makes false claims about other origins; nil for an honest node.
    var liar: Liar?
    /// When the present life began.
    var startedAt: UInt64 = 0
    /// The senders of this relay whose first snapshot has come in the present life.
    var joined: Set<String> = []
    /// The relay may have served copies without what such a snapshot then brought: it took longer than is waited for.
    var joinedLate = false
    /// Jobs push to this relay, so after a restart it must go on where its disk ends.
    var isPushedTo = false
    /// When the last pushed batch is on this relay's disk, and when the relay is told so.
    var lastPersist: (durable: UInt64, told: UInt64) = (0, 0)
    /// How often this relay has sent on each batch in this life.
    private var forwardCounts: [String: Int] = [:]
    /// A publisher here has begun a start that is earlier than one before, because its clock had been ahead.
    var hasWrittenAnew = false
    /// A job that ran here has stopped pushing to one of its relays.
    var hasGivenUpRelay = false
    /// For a sabotaged run: the first incarnation heard of each origin, and every batch that came.
    var incarnations: [String: UInt64] = [:]
    var heard: Set<String> = []
    /// For a sabotaged run: the models of the fetches that have not been answered, by request.
    var fetches: [UInt64: [ModelKey]] = [:]
    /// How many parts of transactions waited at relays for others, and how many runs of batches lay beyond holes of
    /// theirs, when this node asked them for snapshots.
    var heldAtJoins = 0
    /// How many holes the replica had found at the last check, and how many of all it found while the first snapshot of
    /// a sender was on its way to it.
    var foundCount: UInt64 = 0
    var foundWhileJoining: UInt64 = 0
    /// Counters of its former lives.
    var pastCounters: [String: UInt64] = [:]

    init(
        index: Int, name: String, kind: Kind, prefixes: [[UInt8]], partitions: Partitions, disk: SimulatedDisk.Mode,
        tickMicroseconds: UInt64, isObserved: Bool
    ) {
        self.index = index
        self.name = name
        self.kind = kind
        self.prefixes = prefixes
        self.partitions = partitions
        self.disk = SimulatedDisk(mode: disk)
        self.tickMicroseconds = tickMicroseconds
        watch = CacheWatch(isObserved: isObserved)
    }

    var id: NodeID { NodeID(index: index) }
    var isUp: Bool { origin != nil || subscriber != nil || relay != nil }
    var cache: ModelCache? { origin?.cache ?? replica?.cache }
    /// The side that listens, of a subscriber or a relay.
    var replica: Replica? { subscriber ?? relay?.replica }

    /// Whether models have come back into the copy, or were compared with what senders hold, since the last call.
    func hasFetched() -> Bool {
        let count = subscriber.map { $0.counters[.modelsFetched] + $0.comparisonCount } ?? 0
        defer { fetchedCount = count }
        return count > fetchedCount
    }

    /// True for publishers and jobs: they listen to nobody, so their copies hold their own writes.
    var holdsOnlyItsOwn: Bool { kind == .publisher || kind == .job }

    /// True when this node subscribes to the model's topic, or holds only its own writes.
    func takes(_ model: ModelKey) -> Bool {
        holdsOnlyItsOwn || prefixes.contains { model.topic.bytes.starts(with: $0) }
    }

    /// Notes a batch that this relay sends on. It does so once in a life. A batch of an earlier start of its origin,
    /// which is not counted any more, goes on whenever a part of its transaction is news: as often as there are parts.
    /// - Returns: the fault; nil for a batch that may be sent on.
    func forward(_ topic: Topic, _ payload: [UInt8], now: Moment) -> String? {
        guard let frame = PlainItem(payload), let batch = BatchFacts(frame) else {
            return "forwards bytes on \(topic) that are no batch"
        }
        let id = "\(batch.origin) \(batch.incarnation) \(topic) \(batch.sequence)"
        let count = forwardCounts[id, default: 0] + 1
        forwardCounts[id] = count
        guard count > 1 else { return nil }
        let isEarlier =
            replica?.streamStatus(now: now).contains {
                $0.origin == batch.origin && $0.topic == topic && $0.incarnation > batch.incarnation
            } ?? false
        guard isEarlier, count <= Oracle.group(frame, payload).count else {
            return "forwards \(topic) #\(batch.sequence) of \(batch.origin) \(count) times"
        }
        return nil
    }

    /// The first bound or sum of the node's machines that does not hold; nil when all hold.
    func brokenInvariant() -> String? {
        origin?.brokenInvariant() ?? pusher?.brokenInvariant() ?? subscriber?.brokenInvariant()
            ?? relay?.brokenInvariant()
    }

    /// True when this node subscribes to at least two of these topics: a transaction over them is one step here.
    func takesSeveral(of topics: [Topic]) -> Bool {
        topics.count { topic in prefixes.contains { topic.overlaps($0) } } > 1
    }

    /// The counters of this life and of those before.
    var counters: [String: UInt64] {
        var sum = pastCounters
        for machine in [origin?.counters, replica?.counters, relay?.counters] {
            for (name, value) in machine?.nonZero ?? [] { sum[name.label, default: 0] += value }
        }
        return sum
    }

    /// Ends the process: its machines and their state are gone, its disk stays.
    func die() {
        pastCounters = counters
        origin = nil
        pusher = nil
        recovery = nil
        job?.requests = [:]
        subscriber = nil
        relay = nil
        watch.stop()
        forwardCounts = [:]
        incarnations = [:]
        heard = []
        life += 1
    }
}
