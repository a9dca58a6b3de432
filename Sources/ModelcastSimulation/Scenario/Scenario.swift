import ModelRecord
import ModelSync
import ModelWire

/// A simulation that is drawn from its seed as a whole: its nodes, how bad the network is, what is written, and which
/// nodes crash when. The same seed goes the same way, event for event.
///
/// ```swift
/// let result = Scenario(seed: 7).run()
/// if let failure = result.failure { print(failure) }
/// ```
public struct Scenario: Sendable {
    /// The seed from which everything is drawn.
    public let seed: UInt64
    /// The protection that is taken away, to prove that the checkers find that out; nil for none.
    public let sabotage: Sabotage?
    /// Whether heads carry digests, which find differences that nothing else has found.
    public let hasDigests: Bool
    /// Whether the story of the run is kept.
    public let isTold: Bool
    /// A model, as its type, a space and its id, of which the story tells each change; nil for none.
    public let watched: String?
    /// The features that may happen beside losses, crashes, partitions and clocks that jump.
    public let features: Set<Feature>

    /// A feature that a scenario may have. The seed decides whether it has it.
    public enum Feature: String, CaseIterable, Sendable {
        /// Short-lived jobs push to relays, whose disks may refuse what they push.
        case jobs
        /// Deleted models are forgotten after some seconds, and nodes are away for longer. No relay is without word of
        /// a publisher or another relay for so long.
        case forgetting
        /// Batches stay malformed on a link, or on all links of a sender, also when they are sent again.
        case lastingDamage = "lasting-damage"
        /// A publisher makes false claims about others, and sends bytes that cannot be read.
        case liars
        /// Jobs have more names than relays can tell of or nodes keep.
        case names
        /// Senders are held to grants; where there is a liar, it writes in the name of others.
        case grants
        /// Everything has to be signed; where there is a liar, it hands on what others wrote, as a relay does, and
        /// changes it.
        case signatures
        /// Publishers without a disk take their models back from relays.
        case recovery
        /// Some models end by themselves.
        case expiry
        /// Some models are leased.
        case leases
        /// Where deleted models are forgotten, wall clocks leap a day ahead for a moment: those of publishers and jobs,
        /// or those of relays and subscribers.
        case leaps
        /// Models have ids whose texts are equal in pairs, while their bytes differ.
        case twins
        /// Processes are stopped for a while and go on, as by SIGSTOP or with a machine that sleeps.
        case stops
        /// A liar now and then tells of very many topics at once.
        case floods
        /// A liar tells of origins that never were, and of ever more batches of them.
        case madeUpOrigins = "made-up-origins"
        /// The copies of some subscribers have limits. Models leave them, and are fetched at random moments.
        case limits
        /// The copies of some subscribers begin with nothing, and hold what is fetched.
        case lazy
        /// Some of these know the ids of all models.
        case ids
    }

    /// - Parameters:
    ///   - hasDigests: whether heads carry digests; by default they do unless there is a sabotage, as digests would
    ///     mend its damage.
    ///   - features: what the scenario may have; everything by default.
    public init(
        seed: UInt64, sabotage: Sabotage? = nil, hasDigests: Bool? = nil,
        features: Set<Feature> = Set(Feature.allCases), isTold: Bool = false,
        watched: String? = nil
    ) {
        self.features = features
        self.hasDigests = hasDigests ?? (sabotage == nil)
        self.seed = seed
        self.sabotage = sabotage
        self.isTold = isTold
        self.watched = watched
    }

    /// The result of one seed.
    public struct SeedResult: Sendable {
        /// The seed of the scenario.
        public let seed: UInt64
        /// The fault that a checker found; nil when there is none.
        public let failure: SimulationFailure?
        /// The faults that were injected.
        public let faults: FaultTally
        /// Sums of the machines' counters, by name.
        public let counters: [String: UInt64]
        /// How much time passed in the simulation.
        public let simulatedMilliseconds: UInt64
        /// How many events the simulation handled.
        public let eventCount: Int
        /// How many batches were published.
        public let batchCount: Int
        /// How many updates were published.
        public let updateCount: Int
        /// The events as lines; empty unless the scenario keeps them.
        public let story: Story
    }

    /// Plays the scenario to its end, on the calling thread and without real time.
    public func run() -> SeedResult {
        var play = ScenarioPlay(self)
        play.run()
        let simulation = play.simulation
        var counters: [String: UInt64] = [:]
        for node in simulation.nodes { counters.merge(node.counters, uniquingKeysWith: +) }
        return SeedResult(
            seed: seed, failure: simulation.failure, faults: simulation.faults, counters: counters,
            simulatedMilliseconds: simulation.time / 1000, eventCount: simulation.eventCount,
            batchCount: simulation.oracle.batchCount, updateCount: simulation.oracle.updates.count,
            story: simulation.story)
    }
}

extension Array {
    func pick(_ generator: inout SeededGenerator) -> Element {
        self[Int.random(in: indices, using: &generator)]
    }
}
