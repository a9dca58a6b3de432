import ArgumentParser
import ModelcastBench

/// `modelcast stress`: many processes under load, and a comparison at the end.
struct Stress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Loads publisher and subscriber processes and compares what they hold at the end.",
        usage: "modelcast stress [OPTION <value>]...",
        discussion: """
            Every publisher writes at the given rate, half to models of its own, half to models that all publishers \
            write: the same fields and one field each of its own, with a replace, a delete or an assignment now and \
            then. Every subscriber listens to all publishers; the last one joins when half the time is over.

            At the end the publishers come to rest and are asked for every record; those are joined, and every \
            subscriber must hold exactly that: equal numbers of models and equal digests, for each type.

            The table tells per process: updates (published, or received), updates a second, batches, holes found, \
            filled by themselves and mended by a snapshot, snapshots asked for, the time from a publisher's call to \
            the subscriber's observer (p50/p99), resident memory, digest.

            Exit codes: 0 all equal, 1 a digest differs or something failed, 64 the command line is wrong.
            """,
        subcommands: [StressWorker.self])

    @Option(help: "How many publisher processes.")
    var publishers = 2

    @Option(help: "How many subscriber processes.")
    var subscribers = 3

    @Option(help: "How long the load lasts.")
    var seconds = 10.0

    @Option(help: "Writes a second of each publisher.")
    var rate = 10_000.0

    @Option(help: "How many models all publishers share, and how many each has for itself.")
    var models = 10_000

    func validate() throws {
        guard (1...64).contains(publishers), (1...64).contains(subscribers) else {
            throw ValidationError("--publishers and --subscribers must be 1 to 64.")
        }
        guard seconds > 0, seconds <= 86_400, rate > 0, rate <= 10_000_000, (1...10_000_000).contains(models) else {
            throw ValidationError("--seconds, --rate and --models must be above 0; at most a day and 10 million.")
        }
    }

    func run() async throws {
        let trial = Trial(workerArguments: ["stress", "worker"])
        let interruption = Interruption {}
        let isEqual: Bool
        do {
            isEqual = try await StressRun(
                publishers: publishers, subscribers: subscribers, seconds: seconds, rate: rate, models: models
            ).run(trial, until: interruption) { StandardError.write(line: "stress: \($0)") }
        } catch {
            await trial.end()
            throw error
        }
        await trial.end()
        if !isEqual { throw ExitCode.failure }
    }
}
