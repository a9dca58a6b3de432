import ArgumentParser
import ModelcastBench

/// `modelcast chaos`: many processes under load and faults, and a comparison at the end.
struct Chaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kills, stops and cuts off processes under load, and compares what they hold at the end.",
        usage: "modelcast chaos [OPTION <value>]...",
        discussion: """
            Starts publishers, relays that listen to all publishers and to each other, and subscribers that listen \
            to all relays, each as a process in a network namespace of its own where that may be done (as root, \
            with ip and tc installed), and strikes them in an order that the seed decides:

              kill       SIGKILL, and started again up to 2 s later
              stop       SIGSTOP, and SIGCONT 1 to 5 s later
              restart    ended in good order, and started again
              loss       15 % of its packets are lost
              delay      its packets come late
              partition  none of its packets come through

            A pusher runs `modelcast publish --push` again and again, each time with models of their own. Those of \
            every job that ended with exit code 0 must be in every relay at the end. What was pushed is only in the \
            relays' memory, so the first relay is neither killed nor restarted while there are pushers; relays \
            listen to each other.

            The last three need namespaces; where there are none they are skipped, and it says why.

            A publisher that was killed comes back without its models. Its first act is to replace each model that \
            it may ever write, so what all must hold at the end is defined: the join of what the publishers then \
            hold. When the faults have ended and the publishers are at rest, they are asked for every record; every \
            relay and subscriber must become live and equal to the join of those within --rest seconds, each type \
            with the same number of models and the same digest.

            Two tables follow: the faults by kind, and per process: how often it was started, updates (published, \
            or received), holes found, and those filled by themselves, by a replay, by a snapshot, by single \
            buckets, or by building the state anew, how often it found a sender silent, the oldest that its copy of \
            any publisher became, and what it holds.

            At the end no process, namespace or link may be left over. That holds after a failure, after Ctrl-C \
            (once: ends the faults and compares; twice: ends at once), and when the command itself is killed.

            The same seed and options make the same faults at the same times. What a process says on standard error \
            is kept in a folder when something was wrong; the folder and the command line that repeats the run \
            are told then.

            Exit codes: 0 all equal and nothing left over, 1 otherwise, 64 the command line is wrong.
            """,
        subcommands: [StressWorker.self])

    @Option(help: "Decides which fault strikes whom and when, and what is written. Default: a random one, told.")
    var seed: UInt64?

    @Option(help: "How long there are load and faults.")
    var seconds = 30.0

    @Option(help: "How many publisher processes.")
    var publishers = 2

    @Option(help: "How many relay processes. With 0 subscribers connect to the publishers.")
    var relays = 2

    @Option(help: "How many subscriber processes.")
    var subscribers = 3

    @Option(help: "How many pushers, each running one short-lived job after the other that pushes to all relays.")
    var pushers = 1

    @Option(help: "Writes a second of each publisher.")
    var rate = 3_000.0

    @Option(help: "How many models all publishers share, and how many each has for itself.")
    var models = 2_000

    @Flag(inversion: .prefixedNo, help: "Give each process a network namespace, where that can be done.")
    var namespaces = true

    @Option(help: ArgumentHelp("How long all may take to become equal after the last fault.", valueName: "seconds"))
    var rest = 60.0

    @Option(
        help: ArgumentHelp(
            "Keep what the processes say in this folder. Default: a temporary one, kept when something was wrong.",
            valueName: "folder"))
    var logs: String?

    func validate() throws {
        guard (1...32).contains(publishers), (1...32).contains(subscribers), (0...8).contains(relays),
            (0...8).contains(pushers)
        else {
            throw ValidationError("--publishers and --subscribers must be 1 to 32, --relays and --pushers 0 to 8.")
        }
        guard seconds >= 2, seconds <= 604_800, rest > 0, rest <= 86_400 else {
            throw ValidationError("--seconds must be 2 to a week, --rest above 0 and at most a day.")
        }
        guard rate > 0, rate <= 1_000_000, (1...1_000_000).contains(models) else {
            throw ValidationError("--rate and --models must be above 0 and at most a million.")
        }
    }

    func run() async throws {
        var configuration = ChaosConfiguration(seed: seed ?? UInt64.random(in: 1...999_999))
        configuration.seconds = seconds
        configuration.publishers = publishers
        configuration.relays = relays
        configuration.subscribers = subscribers
        configuration.pushers = relays > 0 ? pushers : 0
        configuration.rate = rate
        configuration.models = models
        configuration.usesNamespaces = namespaces
        configuration.logs = logs
        configuration.restSeconds = rest
        let interruption = Interruption { ChaosRun.removeAll() }
        let isGood = try await ChaosRun(
            configuration, workerArguments: ["chaos", "worker"], until: interruption
        ) { StandardError.write(line: "chaos: \($0)") }.run()
        if !isGood { throw ExitCode.failure }
    }
}
