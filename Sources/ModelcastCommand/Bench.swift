import ArgumentParser
import Foundation
import ModelcastBench

/// `modelcast bench`: measures Modelcast beside raw libzmq.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures throughput, latency, reads, recovery, joining, relays and more, beside raw libzmq.",
        usage: "modelcast bench [--json] [--only NAME...] [OPTION <value>]...",
        discussion: """
            Processes of their own on TCP loopback: models of ten fields, updates of two fields to models at random. \
            Every part ends with a comparison of digests; if they differ no figure counts, and the exit code is 1. \
            All parts take about three minutes; --only takes the names of those that are wanted:

              throughput  updates applied a second, with one call each and with several a call
              latency     from publish to observer
              reads       point reads while updates are applied
              fields      making the fields of an update: the throughput's are made beforehand
              recovery    one of two subscribers is stopped under load: what it costs, and how long it takes to be equal
              observer    an observer sleeps while updates are applied: what waits for it, and how much memory it takes
              join        joining with a million models, beside the same bytes over raw libzmq
              warm-start  reading a million models from a store
              push        updates pushed to a relay until the last is acknowledged
              relay       throughput through a relay, and what an update costs the relay
              models      models as Swift types: decoding, reading, changing

            Raw libzmq, one frame of 100 bytes a message, takes turns with Modelcast in processes of its own, because \
            machines differ from minute to minute: compare figures of one run only, and above all the ratios. \
            Latencies are counted from the time at which an update ought to have been published, so that a stall \
            counts for everything that it delayed; the second pair of lines counts from the call.

            Use a release build: swift build -c release.

            Exit codes: 0 measured, 1 something failed or digests differ, 64 the command line is wrong.
            """,
        subcommands: [BenchWorker.self])

    @Option(parsing: .upToNextOption, help: "Measure only these parts.")
    var only: [BenchScenario] = []

    @Option(help: "How many models.")
    var models = BenchPlan().models

    @Option(help: "Updates in each round of the throughput measurement.")
    var updates = BenchPlan().updates

    @Option(help: "How many writes a call hands over in the second kind of round.")
    var batch = BenchPlan().batch

    @Option(name: .customLong("raw-messages"), help: "Messages in each round of raw libzmq.")
    var rawMessages = BenchPlan().rawMessages

    @Option(help: "Rounds of throughput and of latency; the median counts.")
    var rounds = BenchPlan().rounds

    @Option(name: .customLong("latency-seconds"), help: "How long each round of latency lasts.")
    var latencySeconds = BenchPlan().latencySeconds

    @Option(name: .customLong("latency-rate"), help: "Updates a second while latency is measured.")
    var latencyRate = BenchPlan().latencyRate

    @Option(name: .customLong("read-seconds"), help: "How long each of three measurements of reads lasts.")
    var readSeconds = BenchPlan().readSeconds

    @Option(name: .customLong("queue-mebibytes"), help: "What may wait between the two processes before any is lost.")
    var queueMebibytes = BenchPlan().queueMebibytes

    @OptionGroup var sizes: BenchSizes

    @Flag(help: "Print one JSON object with all figures instead of a table.")
    var json = false

    func validate() throws {
        guard [models, updates, rawMessages, rounds, queueMebibytes].allSatisfy({ $0 > 0 }),
            (2...4096).contains(batch)
        else {
            throw ValidationError("Counts, rounds and --queue-mebibytes must be above 0, --batch 2 to 4096.")
        }
        guard latencySeconds > 0, latencyRate > 0, readSeconds > 0 else {
            throw ValidationError("--latency-seconds, --latency-rate and --read-seconds must be above 0.")
        }
        guard latencySeconds <= 3600, latencyRate <= 1_000_000, readSeconds <= 3600 else {
            throw ValidationError("At most an hour each, and a million updates a second.")
        }
    }

    private var plan: BenchPlan {
        var plan = BenchPlan()
        if !only.isEmpty { plan.scenarios = Set(only) }
        (plan.models, plan.updates, plan.rawMessages, plan.rounds) = (models, updates, rawMessages, rounds)
        (plan.latencySeconds, plan.latencyRate, plan.readSeconds) = (latencySeconds, latencyRate, readSeconds)
        (plan.batch, plan.queueMebibytes) = (batch, queueMebibytes)
        sizes.apply(to: &plan)
        return plan
    }

    func run() async throws {
        if !MachineFacts.current.isOptimized {
            StandardError.write(line: "bench: THIS IS A DEBUG BUILD. Its figures mean nothing; use -c release.")
        }
        let measurement = Measurement(plan, workerArguments: ["bench", "worker"]) { text in
            StandardError.write(line: "bench: \(text)")
        }
        // Also when it is interrupted no process is left over, least of all one that is stopped.
        let measuring = Task { try await measurement.run() }
        let interruption = Interruption(onFirst: { measuring.cancel() }, onSecond: {})
        let result = try await measuring.value
        withExtendedLifetime(interruption) {}
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(result), as: UTF8.self))
        } else {
            for line in BenchTable(result).lines { print(line) }
        }
    }
}

/// One process of the measurement; started by `modelcast bench`, of no use to anybody else.
struct BenchWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "One process of the measurement.", shouldDisplay: false)

    @Argument(help: "What to do, as JSON.")
    var task: String

    func run() async throws { try await Measurement.runWorker(task: task) }
}
