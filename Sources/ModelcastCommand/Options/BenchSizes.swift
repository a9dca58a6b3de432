import ArgumentParser
import ModelcastBench

/// The sizes of the parts of `modelcast bench` other than throughput, latency and reads.
struct BenchSizes: ParsableArguments {
    @Option(name: .customLong("stop-seconds"), help: "How long a subscriber is stopped.")
    var stopSeconds = BenchPlan().stopSeconds

    @Option(name: .customLong("stop-rate"), help: "Updates a second meanwhile, and while an observer sleeps.")
    var stopRate = BenchPlan().stopRate

    @Option(name: .customLong("stop-queue-mebibytes"), help: "What may wait for the stopped subscriber.")
    var stopQueueMebibytes = BenchPlan().stopQueueMebibytes

    @Option(name: .customLong("stop-text-bytes"), help: "How long the two texts of each of those updates are.")
    var stopTextBytes = BenchPlan().stopTextBytes

    @Option(name: .customLong("observed-models"), help: "Models of the part with an observer that sleeps.")
    var observedModels = BenchPlan().observedModels

    @Option(name: .customLong("observed-updates"), help: "Updates that are applied while it sleeps.")
    var observedUpdates = BenchPlan().observedUpdates

    @Option(name: .customLong("large-models"), help: "Models of the large join and of the warm start.")
    var largeModels = BenchPlan().largeModels

    @Option(name: .customLong("pushed-updates"), help: "Updates that are pushed to a relay.")
    var pushedUpdates = BenchPlan().pushedUpdates

    @Option(name: .customLong("relayed-updates"), help: "Updates of each round through a relay.")
    var relayedUpdates = BenchPlan().relayedUpdates

    func validate() throws {
        let counts = [
            stopQueueMebibytes, stopTextBytes, observedModels, observedUpdates, largeModels, pushedUpdates,
            relayedUpdates,
        ]
        guard counts.allSatisfy({ $0 > 0 }), stopTextBytes <= 100_000, stopQueueMebibytes <= 65_536 else {
            throw ValidationError(
                "Counts must be above 0, --stop-text-bytes up to 100000, --stop-queue-mebibytes up to 65536.")
        }
        guard stopSeconds > 0, stopSeconds <= 3600, stopRate >= 1_000, stopRate <= 1_000_000 else {
            throw ValidationError("--stop-seconds must be above 0, at most an hour, --stop-rate 1000 to 1000000.")
        }
    }

    func apply(to plan: inout BenchPlan) {
        (plan.stopSeconds, plan.stopRate) = (stopSeconds, stopRate)
        (plan.stopQueueMebibytes, plan.stopTextBytes) = (stopQueueMebibytes, stopTextBytes)
        (plan.observedModels, plan.observedUpdates) = (observedModels, observedUpdates)
        (plan.largeModels, plan.pushedUpdates, plan.relayedUpdates) = (largeModels, pushedUpdates, relayedUpdates)
    }
}
