import ArgumentParser
import ModelcastBench

/// The sizes of those scenarios of `modelcast bench` that measure how cost grows.
struct BenchScenarioSizes: ParsableArguments {
    @Option(help: "How often each of two that are compared takes its turn.")
    var turns = ScenarioSizes().turns

    @Option(
        name: .customLong("read-models"), parsing: .upToNextOption,
        help: "Models while reads are measured, one measurement each; 10000000 needs 16 GB.")
    var readModels = ScenarioSizes().readModels

    @Option(name: .customLong("memory-models"), help: "Models whose memory is measured.")
    var memoryModels = ScenarioSizes().memoryModels

    @Option(
        name: .customLong("growth-models"), parsing: .upToNextOption,
        help: "Models while the cost of an update is measured.")
    var growthModels = ScenarioSizes().growthModels

    @Option(name: .customLong("observer-models"), help: "Models that may be observed.")
    var observerModels = ScenarioSizes().observerModels

    @Option(name: .customLong("observers"), parsing: .upToNextOption, help: "Observers, one a model.")
    var observerCounts = ScenarioSizes().observerCounts

    @Option(name: .customLong("snapshot-models"), help: "Models of a snapshot, and updates while one is held.")
    var snapshotModels = ScenarioSizes().snapshotModels

    @Option(name: .customLong("limit-models"), help: "Models that a copy with a limit holds.")
    var limitModels = ScenarioSizes().limitModels

    @Option(name: .customLong("lease-models"), help: "Models that are leased.")
    var leaseModels = ScenarioSizes().leaseModels

    @Option(name: .customLong("lease-publishers"), help: "Publishers that lease them.")
    var leasePublishers = ScenarioSizes().leasePublishers

    @Option(name: .customLong("lease-seconds"), help: "How long the processor time of that is measured.")
    var leaseSeconds = ScenarioSizes().leaseSeconds

    @Option(parsing: .upToNextOption, help: "Subscribers of one publisher.")
    var subscribers = ScenarioSizes().subscribers

    @Option(name: .customLong("fanout-rate"), help: "Updates a second to many subscribers.")
    var fanoutRate = ScenarioSizes().fanoutRate

    @Option(name: .customLong("fanout-seconds"), help: "How long each turn with many subscribers lasts.")
    var fanoutSeconds = ScenarioSizes().fanoutSeconds

    @Option(name: .customLong("mixed-models"), help: "Models of all types of the mixed load.")
    var mixedModels = ScenarioSizes().mixedModels

    @Option(name: .customLong("mixed-rate"), help: "Writes a second of the mixed load.")
    var mixedRate = ScenarioSizes().mixedRate

    @Option(name: .customLong("mixed-seconds"), help: "How long the mixed load lasts.")
    var mixedSeconds = ScenarioSizes().mixedSeconds

    func validate() throws {
        let lists = [readModels, growthModels, observerCounts, subscribers]
        let counts =
            [turns, memoryModels, observerModels, snapshotModels, limitModels, leaseModels, mixedModels]
            + lists.joined()
        guard lists.allSatisfy({ !$0.isEmpty }), counts.allSatisfy({ (1...100_000_000).contains($0) }) else {
            throw ValidationError("Turns, models, observers and subscribers must be above 0, at most 100,000,000.")
        }
        guard memoryModels >= 1_000, subscribers.allSatisfy({ $0 <= 256 }) else {
            throw ValidationError("--memory-models must be 1000 or more, --subscribers at most 256.")
        }
        guard (1...256).contains(leasePublishers), leaseSeconds > 0, leaseSeconds <= 60 else {
            throw ValidationError("--lease-publishers: 1 to 256; --lease-seconds: at most 60.")
        }
        guard [fanoutRate, mixedRate].allSatisfy({ (1_000...1_000_000).contains($0) }),
            [fanoutSeconds, mixedSeconds].allSatisfy({ $0 > 0 && $0 <= 60 })
        else { throw ValidationError("--fanout-rate and --mixed-rate: 1000 to 1000000; their seconds: at most 60.") }
    }

    func apply(to plan: inout BenchPlan) {
        plan.sizes.turns = turns
        (plan.sizes.readModels, plan.sizes.memoryModels) = (readModels, memoryModels)
        (plan.sizes.growthModels, plan.sizes.subscribers) = (growthModels, subscribers)
        (plan.sizes.observerModels, plan.sizes.observerCounts) = (observerModels, observerCounts)
        (plan.sizes.snapshotModels, plan.sizes.snapshotUpdates) = (snapshotModels, snapshotModels)
        plan.sizes.limitModels = limitModels
        (plan.sizes.leaseModels, plan.sizes.leasePublishers) = (leaseModels, leasePublishers)
        plan.sizes.leaseSeconds = leaseSeconds
        (plan.sizes.fanoutRate, plan.sizes.fanoutSeconds) = (fanoutRate, fanoutSeconds)
        (plan.sizes.mixedModels, plan.sizes.mixedRate) = (mixedModels, mixedRate)
        plan.sizes.mixedSeconds = mixedSeconds
    }
}
