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
    /// What may happen beside losses, crashes, partitions and clocks that jump.
    public let features: Set<Feature>

    /// What a scenario may have; each has it or not, as its seed says.
    public enum Feature: String, CaseIterable, Sendable {
        /// Short-lived jobs push to relays, whose disks may refuse what they push.
        case jobs
        /// Deleted models are forgotten after some seconds, and nodes are away for longer, but no relay is without word
        /// of a publisher or another relay for so long.
        case forgetting
        /// Batches stay malformed on a link, or on all links of a sender, also when they are sent again.
        case lastingDamage = "lasting-damage"
        /// A publisher says of others what is not so, and sends what cannot be read.
        case liars
        /// Jobs have more names than relays can tell of, or anybody keeps.
        case names
        /// Publishers without a disk take their models back from relays.
        case recovery

        /// The features that are drawn where nothing is said: all but many names, which make a scenario another one.
        public static let usual = Set(allCases).subtracting([.names])
    }

    /// - Parameters:
    ///   - hasDigests: by default unless there is a sabotage, which digests would mend.
    ///   - features: what the scenario may have.
    public init(
        seed: UInt64, sabotage: Sabotage? = nil, hasDigests: Bool? = nil,
        features: Set<Feature> = Feature.usual, isTold: Bool = false
    ) {
        self.features = features
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

extension Array {
    func pick(_ generator: inout SeededGenerator) -> Element {
        self[Int.random(in: indices, using: &generator)]
    }
}
