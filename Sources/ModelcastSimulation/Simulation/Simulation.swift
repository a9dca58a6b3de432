import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// Publishers, relays and subscribers on a network of memory, each with a clock and a disk of its own: the same state
/// machines that run behind real sockets, under every fault that one seed decides.
///
/// ```swift
/// let simulation = Simulation(seed: 7)
/// let prices = try simulation.addPublisher("prices")
/// simulation.addSubscriber("shop", listeningTo: [prices])
/// simulation.conditions.streamLossPerMille = 100
/// try simulation.write(at: prices, .merge, type: "Price", id: "1", fields: ["cents": 30])
/// simulation.run(milliseconds: 500)
/// try simulation.settle()
/// ```
/// After events the simulation checks that no version went back, that nothing was applied twice, that no batch shows in
/// part, that queues are bounded and that observers were told the truth. ``settle(within:)`` checks that every copy
/// equals what was published. A simulation must not be shared between threads: a run uses one thread and no real time.
public final class Simulation {
    /// The seed that decides everything: the same seed goes the same way.
    public let seed: UInt64
    /// The conditions of every link. They may be changed while the simulation runs.
    public var conditions: NetworkConditions
    /// The simulated time, in microseconds since the simulation began.
    public internal(set) var time: UInt64 = 0
    /// The faults that were injected so far.
    public internal(set) var faults = FaultTally()
    /// The first fault that a checker found. The simulation stops there.
    public internal(set) var failure: SimulationFailure?
    /// The events as lines that a person can read; empty unless asked for.
    public internal(set) var story: Story

    /// A model, as its type, a space and its id, of which the story tells each change; nil for none.
    public var watched: String?

    let settings: SimulationSettings
    var generator: SeededGenerator
    var events = TimedQueue<Event>()
    var nodes: [SimulatedNode] = []
    var links: [SimulatedLink] = []
    var oracle = Oracle()
    /// The last batch of each origin, where origins sign: a liar makes false ones from them.
    var lastSigned: [String: (topic: [UInt8], payload: [UInt8])] = [:]
    var eventCount = 0
    /// The number of the last fetch that somebody has asked for.
    var nextToken: UInt64 = 0
    /// Nothing leaves a copy any more.
    var areLimitsLifted = false
    /// The least and the greatest offset that any wall clock has had, milliseconds.
    var earliestClock: Int64 = 0
    var latestClock: Int64 = 0

    /// The time that wall clocks show at the beginning, in milliseconds since 1970: any plausible instant.
    static let wallStartMilliseconds: UInt64 = 1_800_000_000_000

    enum Event {
        /// A node's tick, in this life.
        case tick(node: Int, life: Int)
        /// The control connection is open, and the client is to say hello.
        case connected(link: Int, attempt: Int)
        /// The stream's TCP connection stands.
        case streamOpen(link: Int, epoch: Int)
        /// A message arrives.
        case message(link: Int, epoch: Int, Message)
        /// Something that was planned; where it is a node's own doing, with the node.
        case plan(of: Int?, (Simulation) -> Void)
    }

    enum Message {
        case subscription(prefix: [UInt8], isOn: Bool)
        case stream(topic: [UInt8], payload: [UInt8])
        case request([UInt8])
        case reply([UInt8])
    }

    /// - Parameters:
    ///   - settings: how the machines work; heartbeats and time-outs are shorter than by default, so that less
    ///     simulated time is needed.
    ///   - isTold: keep a ``story``. It takes far more time than the rest.
    public init(
        seed: UInt64, conditions: NetworkConditions = .good, settings: SimulationSettings = SimulationSettings(),
        isTold: Bool = false
    ) {
        self.seed = seed
        self.conditions = conditions
        self.settings = settings
        generator = SeededGenerator(seed: seed)
        story = Story(isTold: isTold)
        oracle.isForgetful = settings.tombstoneRetention < .seconds(3600)
        oracle.retentionMilliseconds = UInt64(settings.tombstoneRetention / .milliseconds(1))
    }

    /// Lets simulated time pass. Returns early when a checker finds something.
    public func run(milliseconds: UInt64) {
        let end = time + milliseconds * 1000
        while failure == nil, let next = events.nextTime, next <= end, let (_, event) = events.removeFirst() {
            time = max(time, next)
            eventCount += 1
            handle(event)
        }
        if failure == nil { time = end }
    }

    /// Runs `body` after a time.
    func plan(after milliseconds: UInt64, _ body: @escaping (Simulation) -> Void) {
        events.add(.plan(of: nil, body), at: time + milliseconds * 1000)
    }

    /// Both clocks, as a node reads them.
    func moment(_ node: SimulatedNode) -> Moment {
        let wall = Int64(Simulation.wallStartMilliseconds + time / 1000) + node.clockOffsetMilliseconds
        // A machine may subtract a little from the uptime, so that begins well above zero.
        return Moment(wallMilliseconds: UInt64(wall), uptimeMicroseconds: 1_000_000_000 + time)
    }

    /// Records what a checker found, if it is the first fault. The run ends with it.
    func fail(_ node: SimulatedNode?, _ what: String) {
        guard failure == nil else { return }
        let failure = SimulationFailure(seed: seed, microseconds: time, node: node?.name, what: what)
        self.failure = failure
        if story.isTold {
            for node in nodes {
                for stream in node.replica?.streamTexts() ?? [] { tell(node, "follows \(stream)") }
                for text in node.replica?.leaseTexts() ?? [] { tell(node, "watches the leases of \(text)") }
                tellRecords(of: node)
            }
        }
        tell(node, "FAILED: \(what)")
    }

    /// Adds a line to the story for each record of a node: every cell with its version, and `-` where it was removed.
    private func tellRecords(of node: SimulatedNode) {
        guard let copy = node.cache?.snapshot() else { return }
        for type in copy.types {
            copy.forEach(type: type, includingTombstones: true) { record in
                tell(node, "holds \(type) \(Simulation.text(record))")
                return true
            }
        }
    }

    /// A record as the story shows it: id, floor, every cell with its version, and `-` where it was removed.
    private static func text(_ record: CellRecord) -> String {
        let cells = record.cells.map { "\($0.field)\($0.value == .undefined ? "-" : "") \($0.version)" }
        let floor = record.floor.map { " floor \($0)" } ?? ""
        return "\(record.id)\(floor): \(cells.joined(separator: ", "))"
    }

    /// Adds a line to the story where the watched model has changed in a node's copy.
    func tellWatched(_ node: SimulatedNode, _ cache: ModelCache) {
        guard story.isTold, let parts = watched?.split(separator: " ", maxSplits: 1), parts.count == 2 else { return }
        let (type, id) = (String(parts[0]), String(parts[1]))
        let text = cache.record(type: type, id: id, includingTombstones: true).map(Simulation.text)
        guard text != node.toldOfWatched else { return }
        node.toldOfWatched = text
        tell(node, text.map { "has \(type) \($0)" } ?? "has \(type) \(id) no more")
    }

    /// Adds a line to the story.
    func tell(_ node: SimulatedNode?, _ line: @autoclosure () -> String) {
        guard story.isTold else { return }
        story.add(microseconds: time, node: node?.name ?? "-", line())
    }

    func chance(_ perMille: Int) -> Bool {
        perMille > 0 && Int.random(in: 0..<1000, using: &generator) < perMille
    }
}
