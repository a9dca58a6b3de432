/// How large the scenarios are that ask how cost grows: with models, readers, observers, subscribers.
public struct ScenarioSizes: Codable, Hashable, Sendable {
    /// How often each of two that are compared takes its turn.
    public var turns = 3

    /// Models while reads are measured, one measurement each.
    public var readModels = [1_000, 100_000, 1_000_000]
    /// Queues that read.
    public var readQueues = [1, 2, 4, 8]
    /// How long one turn of reads lasts.
    public var readTurnSeconds = 0.05

    /// Models of which the memory is measured.
    public var memoryModels = 1_000_000

    /// Models while the cost of an update is measured, from few to many. Those that do not fit the memory are left out.
    public var growthModels = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    /// Updates of each turn.
    public var growthUpdates = 64_000

    /// Models that are observed, and how many observers there are, one a model, from few to many.
    public var observerModels = 1_000_000
    public var observerCounts = [1_000, 100_000, 1_000_000]
    /// Updates of each turn.
    public var observerUpdates = 128_000

    /// Models of a snapshot, and updates that land while it is held.
    public var snapshotModels = 1_000_000
    public var snapshotUpdates = 1_000_000
    /// How many snapshots are opened.
    public var snapshotOpenings = 10_000

    /// Subscribers of one publisher, from few to many.
    public var subscribers = [1, 4, 16, 64]
    public var fanoutModels = 10_000
    /// Updates a second, and for how long.
    public var fanoutRate = 10_000.0
    public var fanoutSeconds = 2.0

    /// Models of four types, writes a second, and for how long.
    public var mixedModels = 40_000
    public var mixedRate = 20_000.0
    public var mixedSeconds = 8.0

    public init() {}
}
