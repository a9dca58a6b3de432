/// The sizes of the scenarios that measure how cost grows: with models, readers, observers, subscribers.
public struct ScenarioSizes: Codable, Hashable, Sendable {
    /// How often each of two that are compared takes its turn.
    public var turns = 3

    /// How many models there are while reads are measured; each number is measured on its own.
    public var readModels = [1_000, 100_000, 1_000_000]
    /// How many queues read; each number is measured on its own.
    public var readQueues = [1, 2, 4, 8]
    /// How long one turn of reads lasts.
    public var readTurnSeconds = 0.05

    /// How many models have their memory measured.
    public var memoryModels = 1_000_000

    /// How many models there are while the cost of an update is measured, from few to many. Numbers that do not fit the
    /// memory are left out.
    public var growthModels = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    /// Updates in each turn of the growth scenario.
    public var growthUpdates = 64_000

    /// How many models the caches of the observers scenario hold.
    public var observerModels = 1_000_000
    /// How many observers there are, one a model, from few to many.
    public var observerCounts = [1_000, 100_000, 1_000_000]
    /// Updates in each turn of the observers scenario.
    public var observerUpdates = 128_000

    /// How many models a snapshot has.
    public var snapshotModels = 1_000_000
    /// How many updates are applied while a snapshot is held.
    public var snapshotUpdates = 1_000_000
    /// How many snapshots are opened.
    public var snapshotOpenings = 10_000

    /// How many models a copy with a limit holds.
    public var limitModels = 200_000
    /// Updates, and new models, in each turn of the limits scenario.
    public var limitUpdates = 64_000

    /// How many models are leased, by how many publishers.
    public var leaseModels = 1_000_000
    public var leasePublishers = 100
    /// How long the processor time of that is measured.
    public var leaseSeconds = 10.0

    /// How many subscribers one publisher has, from few to many.
    public var subscribers = [1, 4, 16, 64]
    /// How many models that publisher has.
    public var fanoutModels = 10_000
    /// Updates a second to many subscribers.
    public var fanoutRate = 10_000.0
    /// How long each turn with many subscribers lasts.
    public var fanoutSeconds = 2.0

    /// How many models the four types of the mixed load have together.
    public var mixedModels = 40_000
    /// Writes a second of the mixed load.
    public var mixedRate = 20_000.0
    /// How long the mixed load lasts.
    public var mixedSeconds = 8.0

    /// The sizes above.
    public init() {}
}
