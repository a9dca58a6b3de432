import ArgumentParser
import ModelcastBench

/// `modelcast demo`: the whole path once, on this host's own data.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows two publishers and three subscribers at work, as real processes.",
        usage: "modelcast demo [--seconds <seconds>] [--replay-rate <lines>]",
        discussion: """
            One publisher publishes what /proc says of this host, ten times a second: processes, network interfaces, \
            disks, processors. The other replays a file, a day of a small shop. Three subscriber processes listen to \
            both; they start one after the other, so the last one joins late. On a terminal a table shows them at \
            work; elsewhere there is a line now and then.

            At the end the publishers come to rest, and what every subscriber holds is compared with what they hold. \
            Ctrl-C ends it early, with the comparison; a second one at once.

            Exit codes: 0 all equal, 1 something differs or failed, 64 the command line is wrong.
            """,
        subcommands: [StressWorker.self])

    @Option(help: "How long it runs.")
    var seconds = 15.0

    @Option(name: .customLong("replay-rate"), help: "How many lines of the file are replayed in a second.")
    var replayRate = 2_000.0

    func validate() throws {
        guard seconds > 0, seconds <= 86_400 else { throw ValidationError("--seconds must be above 0, at most a day.") }
        guard replayRate > 0, replayRate <= 1_000_000 else {
            throw ValidationError("--replay-rate must be above 0, at most a million.")
        }
    }

    func run() async throws {
        let trial = Trial(workerArguments: ["demo", "worker"])
        let screen = LiveScreen()
        let interruption = Interruption { screen.restore() }
        let isEqual: Bool
        do {
            isEqual = try await DemoRun(seconds: seconds, replayRate: replayRate)
                .run(trial, screen: screen, until: interruption)
        } catch {
            screen.restore()
            await trial.end()
            throw error
        }
        await trial.end()
        if !isEqual { throw ExitCode.failure }
    }
}
