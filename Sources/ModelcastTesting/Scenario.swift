import ModelRecord
import ModelSync
import ModelWire

/// A simulation that is drawn from its seed as a whole: who there is, how bad the network is, what is written, who
/// crashes when. The same seed goes the same way, event for event.
///
/// ```swift
/// let outcome = Scenario(seed: 7).run()
/// if let failure = outcome.failure { print(failure) }
/// ```
public struct Scenario: Sendable {
    public let seed: UInt64
    /// A protection that is taken away, to see that it is found out.
    public let sabotage: Sabotage?
    /// Heads carry digests, which find what all else has missed; without sabotage they do.
    public let hasDigests: Bool
    /// Keep the story of the run.
    public let isTold: Bool

    /// - Parameter hasDigests: by default unless there is a sabotage, which digests would mend.
    public init(seed: UInt64, sabotage: Sabotage? = nil, hasDigests: Bool? = nil, isTold: Bool = false) {
        self.hasDigests = hasDigests ?? (sabotage == nil)
        self.seed = seed
        self.sabotage = sabotage
        self.isTold = isTold
    }

    /// What came of a scenario.
    public struct Outcome: Sendable {
        public let seed: UInt64
        /// What a checker found; nil when all is well.
        public let failure: SimulationFailure?
        public let faults: FaultTally
        /// Sums of the machines' counters, by name.
        public let counters: [String: UInt64]
        /// How much time passed in the simulation.
        public let simulatedMilliseconds: UInt64
        public let eventCount: Int
        /// How many batches and updates were published.
        public let batchCount: Int
        public let updateCount: Int
        public let story: Story
    }

    /// Plays the scenario to its end. One thread, no real time.
    public func run() -> Outcome {
        var play = ScenarioPlay(self)
        play.run()
        let simulation = play.simulation
        var counters: [String: UInt64] = [:]
        for node in simulation.nodes { counters.merge(node.counters, uniquingKeysWith: +) }
        return Outcome(
            seed: seed, failure: simulation.failure, faults: simulation.faults, counters: counters,
            simulatedMilliseconds: simulation.time / 1000, eventCount: simulation.eventCount,
            batchCount: simulation.oracle.batchCount, updateCount: simulation.oracle.updates.count,
            story: simulation.story)
    }
}

/// A scenario under way.
struct ScenarioPlay {
    let simulation: Simulation
    var generator: SeededGenerator
    /// Nothing breaks: then no hole may be found either.
    let isCalm: Bool
    /// Which kinds of fault there are; each run has some, so that none hides the others.
    let crashes: Bool
    let cuts: Bool
    let clockJumps: Bool
    let clockJumpMillisecondsMax: Int64
    var publishers: [SimulatedNode] = []
    /// Relays that wait for each other serve what they have before they have all: then holes are found.
    private var hasLoop = false

    init(_ scenario: Scenario) {
        var generator = SeededGenerator(seed: scenario.seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        isCalm = Int.random(in: 0..<8, using: &generator) == 0
        crashes = !isCalm && Bool.random(using: &generator)
        cuts = !isCalm && Int.random(in: 0..<3, using: &generator) == 0
        clockJumps = !isCalm && Int.random(in: 0..<3, using: &generator) == 0
        let isBeyondLead = clockJumps && Int.random(in: 0..<4, using: &generator) == 0
        clockJumpMillisecondsMax = isBeyondLead ? 6_000 : 60_000
        var settings = SimulationSettings()
        settings.clockLeadMax = isBeyondLead ? .seconds(2) : .seconds(300)
        settings.batchByteCount = [64, 256, 1024].pick(&generator)
        settings.chunkByteCount = [64, 256, 1024].pick(&generator)
        settings.snapshotCredit = Int.random(in: 1...4, using: &generator)
        settings.replayByteCount = [0, 500, 1 << 20].pick(&generator)
        settings.sabotage = scenario.sabotage
        settings.hasDigests = scenario.hasDigests
        var conditions = isCalm ? NetworkConditions.good : .random(using: &generator)
        if isCalm { conditions.delayMicroseconds = 50...([500, 10_000].pick(&generator)) }
        simulation = Simulation(
            seed: scenario.seed, conditions: conditions, settings: settings, isTold: scenario.isTold)
        self.generator = generator
    }

    mutating func run() {
        do {
            try populate()
            try play()
            try simulation.settle()
            if isCalm, !hasLoop { checkCalm() }
        } catch let failure as SimulationFailure {
            simulation.fail(nil, failure.what)
        } catch {
            simulation.fail(nil, "\(error)")
        }
        for node in simulation.nodes { node.watch.stop() }
    }

    // MARK: Who there is

    private mutating func populate() throws {
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            let id = try simulation.addPublisher(
                "origin-\(index)", partitions: [.one, .one, .sixteen].pick(&generator), disk: disk(),
                tickMicroseconds: tick())
            publishers.append(simulation.nodes[id.index])
        }
        let senders = try relays(publishers.map(\.id))
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            let prefixes = ["m/", "m/", "m/User/"].pick(&generator)
            let joinsAt = UInt64([0, 0, 50, 400].pick(&generator))
            let (disk, tick) = (disk(), tick())
            let isObserved = Int.random(in: 0..<4, using: &generator) == 0
            simulation.plan(after: joinsAt) { simulation in
                if joinsAt > 0 { simulation.faults[.lateJoin] += 1 }
                _ = simulation.addSubscriber(
                    "replica-\(index)", listeningTo: senders, prefixes: [Array(prefixes.utf8)], disk: disk,
                    isObserved: isObserved, tickMicroseconds: tick)
            }
        }
        guard clockJumps else { return }
        for node in simulation.nodes { jump(node) }
    }

    /// Makes the relays, if there are any.
    /// - Returns: whom the subscribers listen to.
    private mutating func relays(_ origins: [NodeID]) throws -> [NodeID] {
        switch Topology.allCases.pick(&generator) {
        case .direct: return origins
        case .one: return [try relay(0, origins)]
        case .sideBySide: return [try relay(0, origins), try relay(1, origins)]
        case .chain: return [try relay(1, [try relay(0, origins)])]
        case .loop:
            hasLoop = true
            let first = try relay(0, origins)
            let second = try relay(1, [first])
            simulation.listen(first, to: second)
            return [first, second]
        case .relayAndDirect: return [try relay(0, origins)] + origins
        }
    }

    /// Who listens to whom.
    private enum Topology: CaseIterable {
        case direct, one, sideBySide, chain, loop, relayAndDirect
    }

    private mutating func relay(_ index: Int, _ senders: [NodeID]) throws -> NodeID {
        try simulation.addRelay("relay-\(index)", listeningTo: senders, disk: disk(), tickMicroseconds: tick())
    }

    private mutating func disk() -> SimulatedDisk.Mode {
        [SimulatedDisk.Mode.none, .writeBehind, .beforeSend].pick(&generator)
    }

    private mutating func tick() -> UInt64 { [5_000, 10_000, 25_000].pick(&generator) }

    // MARK: What happens

    private mutating func play() throws {
        for _ in 0..<Int.random(in: 5...50, using: &generator) {
            try write()
            if !isCalm { disturb() }
            let pause = UInt64([0, 0, 1, 5, 20, 150].pick(&generator))
            simulation.run(milliseconds: pause)
            if let failure = simulation.failure { throw failure }
        }
        for node in publishers { simulation.flush(node.id) }
    }

    private mutating func write() throws {
        let node = publishers.pick(&generator)
        if Int.random(in: 0..<4, using: &generator) == 0 {
            var writes = WriteBatch(limits: .default)
            for _ in 0..<Int.random(in: 2...4, using: &generator) {
                let (write, type, id, fields) = draw()
                try writes.append(write, type: type, id: id, fields: fields)
            }
            _ = try simulation.transaction(at: node.id, writes)
        } else {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let (write, type, id, fields) = draw()
                _ = try simulation.write(at: node.id, write, type: type, id: id, fields: fields)
            }
            if Bool.random(using: &generator) { simulation.flush(node.id) }
        }
    }

    private mutating func draw() -> (write: Write, type: String, id: String, fields: Fields) {
        let write = [Write.merge, .merge, .merge, .replace, .assign, .delete].pick(&generator)
        var fields: Fields = [:]
        if write != .delete {
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let field = ["a", "b", "long_name", "address.city"].pick(&generator)
                fields[field] = [.null, .int(Int64.random(in: 0...5, using: &generator)), "text", [1, "x"]]
                    .pick(&generator)
            }
        }
        return (write, ["User", "Order"].pick(&generator), "\(Int.random(in: 0...6, using: &generator))", fields)
    }

    private mutating func disturb() {
        if crashes, Int.random(in: 0..<12, using: &generator) == 0 {
            let node = simulation.nodes.pick(&generator)
            if node.isUp {
                simulation.crash(node.id, losesDisk: Int.random(in: 0..<4, using: &generator) == 0)
                let pause = UInt64([5, 50, 600].pick(&generator))
                simulation.plan(after: pause) { $0.restart(node.id) }
            }
        }
        if cuts, Int.random(in: 0..<10, using: &generator) == 0, !simulation.links.isEmpty {
            let link = Int.random(in: simulation.links.indices, using: &generator)
            simulation.cut(link, milliseconds: UInt64([20, 150, 700].pick(&generator)))
        }
        if clockJumps, Int.random(in: 0..<15, using: &generator) == 0 { jump(simulation.nodes.pick(&generator)) }
    }

    private mutating func jump(_ node: SimulatedNode) {
        let reach = clockJumpMillisecondsMax
        simulation.setClock(node, offsetMilliseconds: Int64.random(in: -reach...reach, using: &generator))
    }

    // MARK: At rest

    /// Where nothing broke nothing was mended: the barrier and the sequences see to it.
    private func checkCalm() {
        for node in simulation.nodes {
            for name in ["holes_found", "malformed_frames", "digest_mismatches", "conflicting_cells"] {
                guard let count = node.counters[name], count > 0 else { continue }
                simulation.fail(node, "\(name) is \(count) although nothing broke")
            }
        }
    }
}

extension Array {
    func pick(_ generator: inout SeededGenerator) -> Element {
        self[Int.random(in: indices, using: &generator)]
    }
}
