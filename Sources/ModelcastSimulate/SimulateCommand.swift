import ArgumentParser
import Dispatch
import ModelcastSimulation

/// The `modelcast-simulate` command.
@main
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelcast-simulate",
        abstract: "Plays scenarios of publishers, relays and subscribers under every fault that a seed decides.",
        usage: """
            modelcast-simulate [--first <seed>] [--seeds <n>] [--seconds <s>] [--jobs <n>]
            modelcast-simulate --seed <seed> [--trace [--watch 'TYPE ID']]
            """,
        discussion: """
            Each seed is one scenario: who there is, how bad the network is, what is written, who crashes when. \
            Checkers run after every event; at rest every copy must equal what was published. The same seed goes the \
            same way, event for event, on every machine.

            The range of seeds is printed at the beginning and at the end, with the command that plays it again.

            A failure prints the seed, the commit and the command that runs it again from a checkout, which tells the \
            story, a line an event: milliseconds, node, what happened.

            Exit codes: 0 all is well, 1 a seed failed, 64 the command line is wrong.
            """)

    @Option(help: "Play this seed alone.")
    var seed: UInt64?

    @Flag(help: "Tell the story of the seed.")
    var trace = false

    @Option(help: ArgumentHelp("Tell of each change of one model in each copy, too.", valueName: "'TYPE ID'"))
    var watch: String?

    @Option(help: "How many seeds. (default: 1000, or with --seconds as many as that allows)")
    var seeds: Int?

    @Option(help: "After this time no more seeds begin.")
    var seconds: Double?

    @Option(help: "The first seed; those that follow it are played, up to 18446744073709551615.")
    var first: UInt64 = 1

    @Flag(help: "Play on after a failure, and name each seed that fails.")
    var keepGoing = false

    @Option(help: "How many seeds at a time.")
    var jobs = 2

    @Option(
        help:
            "Take a protection away, to see it found out: \(Sabotage.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var sabotage: String?

    @Option(
        help: """
            What scenarios may have beside losses, crashes, partitions and clocks that jump, with commas: \
            \(Scenario.Feature.allCases.map(\.rawValue).joined(separator: ", ")); or all, or none. \
            (default: all)
            """)
    var features: String?

    @Flag(help: "Heads carry no digests, which mend what all else has missed.")
    var noDigests = false

    @Option(help: "The commit that was built, for the message of a failure.")
    var commit: String?

    private static let protections = Sabotage.allCases.map(\.rawValue).joined(separator: ", ")
    private var protection: Sabotage? { sabotage.flatMap { Sabotage(rawValue: $0) } }

    /// Whether heads carry digests; nil for the default: they do unless there is a sabotage, whose damage digests would
    /// mend.
    private var hasDigests: Bool? { noDigests ? false : nil }

    private var chosenFeatures: Set<Scenario.Feature> {
        switch features {
        case nil, "all": Set(Scenario.Feature.allCases)
        case "none": []
        case let names?: Set(names.split(separator: ",").compactMap { Scenario.Feature(rawValue: String($0)) })
        }
    }

    /// True when every word of the option is a feature.
    private var knowsFeatures: Bool {
        guard let features, !["all", "none"].contains(features) else { return true }
        return features.split(separator: ",").allSatisfy { Scenario.Feature(rawValue: String($0)) != nil }
    }

    /// The options without which the seed is another scenario, each with a space behind it.
    private var options: String {
        (sabotage.map { "--sabotage \($0) " } ?? "") + (features.map { "--features \($0) " } ?? "")
            + (noDigests ? "--no-digests " : "")
    }

    /// How many seeds to play at most; nil for a series that only its time ends.
    private var limit: Int? { seeds ?? (seconds == nil ? 1_000 : nil) }

    /// The seeds to play: all from the first on for a series that only its time ends; nil where there are too few.
    private var range: ClosedRange<UInt64>? {
        guard let limit else { return first...(.max) }
        let (last, isBeyond) = first.addingReportingOverflow(UInt64(limit - 1))
        return isBeyond ? nil : first...last
    }

    func validate() throws {
        guard knowsFeatures else {
            let names = Scenario.Feature.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--features takes all, none, or some of \(names) with commas between them.")
        }
        guard seeds ?? 1 > 0, (1...256).contains(jobs), (seconds ?? 1) > 0 else {
            throw ValidationError("--seeds and --seconds must be above 0, --jobs 1 to 256.")
        }
        guard range != nil else {
            throw ValidationError(
                "From --first \(first) on there are \(UInt64.max - first + 1) seeds, not \(limit ?? 0).")
        }
        guard sabotage == nil || protection != nil else {
            throw ValidationError("--sabotage is one of \(SimulateCommand.protections).")
        }
        guard seed != nil || !trace else { throw ValidationError("--trace tells of one --seed.") }
        guard trace || watch == nil else { throw ValidationError("--watch adds to what --trace tells.") }
        guard watch?.contains(" ") ?? true else {
            throw ValidationError("--watch takes a type and an id with a space between: --watch 'User origin-2-2'.")
        }
    }

    func run() throws {
        let failure: SimulationFailure?
        let features = chosenFeatures
        if let seed {
            let result = Scenario(
                seed: seed, sabotage: protection, hasDigests: hasDigests, features: features, isTold: trace,
                watched: watch
            ).run()
            for line in result.story.lines { print(line) }
            print(Summary(result).text)
            failure = result.failure
        } else {
            let range = range ?? first...first
            let name = limit == nil ? "seeds from \(first) on" : SeedSeries.name(range)
            print(name + (seconds.map { ", those that begin within \($0) s" } ?? ""))
            let series = SeedSeries(
                range: range, seconds: seconds, jobs: jobs, sabotage: protection, hasDigests: hasDigests,
                features: features, keepsGoing: keepGoing)
            let summary = series.run { print($0) }
            print(summary.text)
            if summary.seedCount > 0 {
                let options = (keepGoing ? "--keep-going " : "") + options
                print("\nall again: Scripts/soak \(options)--first \(first) --seeds \(summary.seedCount)")
            }
            failure = summary.failure
        }
        guard let failure else { return }
        print(failure.report(commit: commit, options: options))
        throw ExitCode.failure
    }
}
