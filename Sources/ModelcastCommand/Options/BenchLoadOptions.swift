import ArgumentParser
import ModelcastBench

/// The load of throughput, latency and reads in `modelcast bench`.
struct BenchLoadOptions: ParsableArguments {
    @Option(help: "How many models.")
    var models = BenchPlan().models

    @Option(help: "Updates in each round of the throughput measurement.")
    var updates = BenchPlan().updates

    @Option(help: "How many writes a call hands over in one kind of round.")
    var batch = BenchPlan().batch

    @Option(name: .customLong("raw-messages"), help: "Messages in each round of raw libzmq.")
    var rawMessages = BenchPlan().rawMessages

    @Option(help: "Rounds of what is measured several times; the median counts.")
    var rounds = BenchPlan().rounds

    @Option(name: .customLong("latency-seconds"), help: "How long each round of latency lasts.")
    var latencySeconds = BenchPlan().latencySeconds

    @Option(
        name: .customLong("latency-rate"), parsing: .upToNextOption,
        help: "Updates a second while latency is measured; several are measured one after the other.")
    var latencyRates = BenchPlan().latencyRates

    @Option(name: .customLong("read-seconds"), help: "How long each measurement of reads lasts.")
    var readSeconds = BenchPlan().readSeconds

    @Option(name: .customLong("queue-mebibytes"), help: "What may wait between the two processes before any is lost.")
    var queueMebibytes = BenchPlan().queueMebibytes

    func validate() throws {
        guard [models, updates, rawMessages, rounds, queueMebibytes].allSatisfy({ $0 > 0 }),
            (2...4096).contains(batch)
        else {
            throw ValidationError("Counts, rounds and --queue-mebibytes must be above 0, --batch 2 to 4096.")
        }
        guard latencySeconds > 0, readSeconds > 0, latencySeconds <= 3600, readSeconds <= 3600 else {
            throw ValidationError("--latency-seconds and --read-seconds must be above 0, at most an hour.")
        }
        guard !latencyRates.isEmpty, latencyRates.allSatisfy({ $0 > 0 && $0 <= 1_000_000 }) else {
            throw ValidationError("--latency-rate takes rates above 0, at most a million updates a second.")
        }
        guard Set(latencyRates).count == latencyRates.count else {
            throw ValidationError("--latency-rate: each rate once.")
        }
        guard latencyRates.allSatisfy({ $0 * latencySeconds >= 1 }) else {
            throw ValidationError("--latency-rate and --latency-seconds: not one update in a round; raise one of them.")
        }
    }

    func apply(to plan: inout BenchPlan) {
        (plan.models, plan.updates, plan.rawMessages, plan.rounds) = (models, updates, rawMessages, rounds)
        (plan.latencySeconds, plan.latencyRates, plan.readSeconds) = (latencySeconds, latencyRates, readSeconds)
        (plan.batch, plan.queueMebibytes) = (batch, queueMebibytes)
    }
}
