import ArgumentParser
import ModelcastBench

/// `modelcast demo`: the whole path once, on this host's own data.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows two publishers and three subscribers at work, as real processes.",
        usage: "modelcast demo [--seconds <seconds>] [--replay-rate <lines>] [--secure]",
        discussion: """
            One publisher publishes what /proc says of this host, ten times a second: processes, network interfaces, \
            disks, processors. The other replays a file, a day of a small shop. Three subscriber processes listen to \
            both; they start one after the other, so the last one joins late. On a terminal a table shows them at \
            work; elsewhere there is a line now and then. The first subscriber serves the inspector, a page for \
            browsers: its address is told. With --seconds 0 all of it stays until Ctrl-C.

            At the end the publishers come to rest, and what every subscriber holds is compared with what they hold. \
            Ctrl-C ends it, with the comparison; a second one at once.

            With --secure every process has a key, every connection is encrypted, and a file of grants says what each \
            key may do: all made for this run, in a folder of its own that is removed at the end. A relay joins them, \
            and a job pushes to it. An intruder, whose key may read one type, and a stranger, whose key no grant has, \
            try to read, to listen and to push what they may not; the end tells how each try was denied.

            Exit codes: 0 all equal, 1 something differs, failed or was not denied, 64 the command line is wrong.
            """,
        subcommands: [StressWorker.self])

    @Option(help: "How long it runs; 0: until Ctrl-C.")
    var seconds = 15.0

    @Option(name: .customLong("replay-rate"), help: "How many lines of the file are replayed in a second.")
    var replayRate = 2_000.0

    @Flag(help: "With keys and grants, and with some who try what they may not.")
    var secure = false

    func validate() throws {
        guard (0...86_400).contains(seconds) else { throw ValidationError("--seconds is 0, or at most a day.") }
        guard replayRate > 0, replayRate <= 1_000_000 else {
            throw ValidationError("--replay-rate must be above 0, at most a million.")
        }
    }

    func run() async throws {
        let screen = LiveScreen()
        let folder = TrialFolder(named: "modelcast-demo")
        let interruption = Interruption {
            screen.restore()
            folder.remove()
        }
        try folder.make()
        defer { folder.remove() }
        let demo = DemoRun(seconds: seconds, replayRate: replayRate, folder: folder)
        let trial = Trial(workerArguments: ["demo", "worker"], security: secure ? try demo.makeSecurity() : nil)
        let isGood: Bool
        do {
            isGood = try await demo.run(trial, screen: screen, until: interruption)
        } catch {
            await trial.end()
            throw error
        }
        await trial.end()
        if !isGood { throw ExitCode.failure }
    }
}
