import ArgumentParser
import Logging
import ModelcastBench
import ModelcastConsole

/// One process of `modelcast demo`, `modelcast stress` or `modelcast chaos`, which start it; it has no other use.
struct StressWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "One process of the trial.", shouldDisplay: false)

    @Argument(help: "What to do, as JSON.")
    var task: String

    func run() async throws {
        try await Worker.run(task: task) { subscriber, tell in
            // Standard error is for what is wrong.
            var logger = Logger(label: "inspector")
            logger.logLevel = .warning
            let console = Console(
                try ConsoleConfiguration("127.0.0.1:0"), of: [.subscriber(subscriber)],
                gateway: ModelGateway(of: .subscriber(subscriber)), logger: logger)
            async let run: Void = console.run()
            tell("http://127.0.0.1:\(try await console.boundPort)/")
            try await run
        }
    }
}
