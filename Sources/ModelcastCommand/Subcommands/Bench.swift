import ArgumentParser
import Foundation
import ModelcastBench

/// `modelcast bench`: measures Modelcast beside raw libzmq, Redis and NATS.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures throughput, latency, reads, recovery, joining, relays and more, beside raw libzmq.",
        usage: "modelcast bench [--json] [--html FILE] [--only NAME...] [OPTION <value>]...",
        discussion: """
            Processes of their own on TCP loopback: models of ten fields, updates of two fields to models at random. \
            Every scenario ends with a comparison of digests; if they differ no figure counts, and the exit code is 1. \
            Each takes less than two minutes; --only takes the names of those that are wanted:

            \(BenchScenario.list.map { "  " + $0 }.joined(separator: "\n"))

            Raw libzmq, one frame of 100 bytes a message, takes turns with Modelcast in processes of its own, because \
            machines differ from minute to minute: compare figures of one run only, and above all the ratios. \
            A mark is a bound of the ratio, or of the figure where it has no baseline; the last column says whether it \
            was reached. Latencies are counted from the call of publish, and from the time at which the update ought \
            to have been published, so that a stall counts for everything that it delayed.

            --html writes a page with the same table, percentile curves, throughput and memory over time, in one \
            file that needs nothing else. On a terminal one line on standard error says where the run is.

            Use a release build: swift build -c release.

            Exit codes: 0 measured, 1 something failed or digests differ, 64 the command line is wrong.
            """,
        subcommands: [BenchWorker.self])

    @Option(parsing: .upToNextOption, help: "Measure only these scenarios.")
    var only: [BenchScenario] = []

    @Flag(help: "Print the names of the scenarios, one a line, and end.")
    var list = false

    @OptionGroup var load: BenchLoadOptions

    @OptionGroup var sizes: BenchSizes

    @OptionGroup var scenarioSizes: BenchScenarioSizes
    @OptionGroup var peers: BenchPeerOptions

    @Flag(help: "Print one JSON object with all figures and curves instead of a table.")
    var json = false

    @Option(help: ArgumentHelp("Also write a page with table and curves to this file.", valueName: "file"))
    var html: String?

    @Option(help: "The commit that was built, for the report; otherwise that of MODELCAST_COMMIT.")
    var commit: String?

    func validate() throws {
        if only.contains(.peers), peers.peers == nil { throw ValidationError("\(BenchPeers.instruction).") }
        guard let html else { return }
        let files = FileManager.default
        let folder = URL(fileURLWithPath: html).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        let exists = unsafe files.fileExists(atPath: html, isDirectory: &isDirectory)
        guard !html.isEmpty, !isDirectory.boolValue, files.isWritableFile(atPath: exists ? html : folder) else {
            throw ValidationError("--html: \(html) cannot be written; name a file in a folder that exists.")
        }
    }

    private var plan: BenchPlan {
        var plan = BenchPlan()
        plan.peers = peers.peers
        if plan.peers != nil { plan.scenarios.insert(.peers) }
        if !only.isEmpty { plan.scenarios = Set(only) }
        load.apply(to: &plan)
        sizes.apply(to: &plan)
        scenarioSizes.apply(to: &plan)
        return plan
    }

    func run() async throws {
        if list {
            for line in BenchScenario.list { print(line) }
            return
        }
        if !MachineFacts.current.isOptimized {
            StandardError.write(line: "bench: THIS IS A DEBUG BUILD. Its figures mean nothing; use -c release.")
        }
        let report = try await measured()
        // The page is written also when copies differ, and says so then.
        if let html {
            do {
                try Data(BenchPage(report).html.utf8).write(to: URL(fileURLWithPath: html))
            } catch {
                throw CommandFailure("cannot write \(html): \(error.localizedDescription)")
            }
        }
        if json {
            print(try report.json())
        } else {
            for line in BenchTable(report).lines { print(line) }
        }
        guard report.differences.isEmpty else {
            StandardError.write(line: "bench: \(report.verdict)")
            throw ExitCode.failure
        }
    }

    private func measured() async throws -> BenchReport {
        let line = ProgressLine.isPossible ? ProgressLine() : nil
        let measurement = Measurement(plan, workerArguments: ["bench", "worker"]) { progress in
            if let line { line.show(progress) } else { StandardError.write(line: "bench: \(progress.line)") }
        }
        defer { line?.erase() }
        let (commit, command) = (Bench.commit(commit), Bench.command(CommandLine.arguments))
        // An interruption cancels the measurement, so that no worker process is left over, above all no stopped one.
        let measuring = Task { try await measurement.run(commit: commit, command: command) }
        let interruption = Interruption(onFirst: { measuring.cancel() }, onSecond: {})
        defer { withExtendedLifetime(interruption) {} }
        return try await measuring.value
    }

    private static func commit(_ given: String?) -> String {
        let told = given ?? ProcessInfo.processInfo.environment["MODELCAST_COMMIT"] ?? ""
        return told.isEmpty ? "unknown" : told
    }

    /// The command line, quoted for a shell where that is needed.
    private static func command(_ arguments: [String]) -> String {
        let words = arguments.dropFirst().map { word in
            let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./,:=+".contains($0) }
            return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
        }
        return (["modelcast"] + words).joined(separator: " ")
    }
}

/// One process of the measurement. `modelcast bench` starts it; it has no other use.
struct BenchWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "One process of the measurement.", shouldDisplay: false)

    @Argument(help: "What to do, as JSON.")
    var task: String

    func run() async throws { try await Measurement.runWorker(task: task) }
}
