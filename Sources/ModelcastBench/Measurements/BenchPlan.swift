/// The scenarios of a measurement, and their sizes.
public struct BenchPlan: Codable, Hashable, Sendable {
    /// The scenarios that are measured.
    public var scenarios = Set(BenchScenario.unaided)
    /// How many models of ten fields there are.
    public var models = 100_000
    /// Updates of two fields in each round of the throughput measurement.
    public var updates = 2_000_000
    /// How many writes one call hands over in the rounds with batches.
    public var batch = 64
    /// Messages of raw libzmq in each of its rounds.
    public var rawMessages = 3_000_000
    /// How often throughput and latency are measured; the median counts.
    public var rounds = 3
    /// How long each round of latency lasts.
    public var latencySeconds = 2.0
    /// The rates, in updates a second, at which latency is measured one after the other.
    public var latencyRates = [1_000.0, 10_000, 100_000]
    /// How long each measurement of reads lasts.
    public var readSeconds = 2.0
    /// Updates a second while reads are measured.
    public var readWriterRate = 50_000.0
    /// How much may wait between publisher and subscriber before anything is lost.
    public var queueMebibytes = 2048
    /// How much publishers hold for replay.
    public var ringMebibytes = 64

    /// How long a subscriber is stopped.
    public var stopSeconds = 10.0
    /// Updates a second until a stopped subscriber has recovered, and while an observer sleeps.
    public var stopRate = 100_000.0
    /// How much may wait for the stopped subscriber.
    public var stopQueueMebibytes = 16
    /// The length of the texts that the load of that measurement sets. Longer texts prove the bound with fewer updates.
    public var stopTextBytes = 10
    /// Models of the measurement with an observer that sleeps.
    public var observedModels = 10_000
    /// Updates that are applied while that observer sleeps.
    public var observedUpdates = 500_000
    /// Models of the large join and the warm start.
    public var largeModels = 1_000_000
    /// Updates that are published between the end of a subscriber with a store and its next start.
    public var changedWhileAway = 10_000
    /// Updates that are pushed to a relay, each acknowledged.
    public var pushedUpdates = 500_000
    /// Updates of each round through a relay.
    public var relayedUpdates = 1_000_000
    /// The sizes of the scenarios that measure how cost grows.
    public var sizes = ScenarioSizes()
    /// The servers of Redis and NATS, for the scenario that compares with them; nil where there are none.
    public var peers: BenchPeers?

    /// The plan with the sizes above.
    public init() {}

    /// The plan of the measurement with a subscriber that is stopped.
    var stopping: BenchPlan {
        var plan = self
        // The ring is small, because it shares the bytes of the messages that wait, and would hide how many wait.
        (plan.queueMebibytes, plan.ringMebibytes) = (stopQueueMebibytes, min(ringMebibytes, 8))
        return plan
    }

    /// The same plan with another number of models.
    func with(models: Int) -> BenchPlan {
        var plan = self
        plan.models = models
        return plan
    }
}
