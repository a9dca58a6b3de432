import ArgumentParser
import ModelcastBench

/// One process of `modelcast demo`, `modelcast stress` or `modelcast chaos`, which start it; it has no other use.
struct StressWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "One process of the trial.", shouldDisplay: false)

    @Argument(help: "What to do, as JSON.")
    var task: String

    func run() async throws { try await Worker.run(task: task) }
}
