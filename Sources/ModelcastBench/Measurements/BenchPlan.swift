/// How large a measurement is.
public struct BenchPlan: Codable, Hashable, Sendable {
    /// What is measured.
    public var scenarios = Set(BenchScenario.unaided)
    /// Models of ten fields.
    public var models = 100_000
    /// Updates of two fields in each round of the throughput measurement.
    public var updates = 2_000_000
    /// Writes that are handed over together in the second kind of round.
    public var batch = 64
    /// Messages of raw libzmq in each of its rounds.
    public var rawMessages = 3_000_000
    /// How often throughput and latency are measured; the median counts.
    public var rounds = 3
    /// How long each round of a latency lasts.
    public var latencySeconds = 2.0
    /// Updates a second while latency is measured, one after the other.
    public var latencyRates = [1_000.0, 10_000, 100_000]
    /// How long each measurement of reads lasts.
    public var readSeconds = 2.0
    /// Updates a second while reads are measured.
    public var readWriterRate = 50_000.0
    /// What may wait between publisher and subscriber before anything is lost.
    public var queueMebibytes = 2048
    /// What publishers hold for replay.
    public var ringMebibytes = 64

    /// How long a subscriber is stopped.
    public var stopSeconds = 10.0
    /// Updates a second while it is and until it has recovered, and while an observer sleeps.
    public var stopRate = 100_000.0
    /// What may wait for the stopped subscriber.
    public var stopQueueMebibytes = 16
    /// How long the texts are that the load of that measurement sets: longer ones prove the bound with fewer updates.
    public var stopTextBytes = 10
    /// Models of the measurement with an observer that sleeps, and updates while it does.
    public var observedModels = 10_000
    public var observedUpdates = 500_000
    /// Models of the large join and the warm start.
    public var largeModels = 1_000_000
    /// Updates that are published between the end of a subscriber with a store and its next start.
    public var changedWhileAway = 10_000
    /// Updates that are pushed to a relay, each acknowledged.
    public var pushedUpdates = 500_000
    /// Updates of each round through a relay.
    public var relayedUpdates = 1_000_000
    /// Of the scenarios that ask how cost grows.
    public var sizes = ScenarioSizes()
    /// Servers of others, for the scenario that compares with them.
    public var peers: BenchPeers?

    public init() {}

    /// The plan of processes that stand beside a subscriber that is stopped.
    var stopping: BenchPlan {
        var plan = self
        // The ring shares the bytes of what waits: it is small, lest it hides how much that is.
        (plan.queueMebibytes, plan.ringMebibytes) = (stopQueueMebibytes, min(ringMebibytes, 8))
        return plan
    }

    /// The same with so many models.
    func with(models: Int) -> BenchPlan {
        var plan = self
        plan.models = models
        return plan
    }
}
