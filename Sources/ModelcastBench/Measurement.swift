import Foundation

/// The measurement: one publisher process, one subscriber process, and raw libzmq between two more, in turns.
///
/// Machines of this kind differ by a factor of two from one hour to the next, so a figure is only worth what it is
/// beside the raw figure of the same run.
public actor Measurement {
    let plan: BenchPlan
    let workerArguments: [String]
    /// Tells a person what is going on.
    let tell: @Sendable (String) -> Void
    var result: BenchResult
    var children: [Child<BenchOrder, BenchReply>] = []
    var latencies = Latencies()

    /// The summaries of each round.
    struct Latencies {
        var raw: [LatencySummary] = []
        var rawFromCall: [LatencySummary] = []
        var modelcast: [LatencySummary] = []
        var modelcastFromCall: [LatencySummary] = []
        var lateness: [LatencySummary] = []
    }

    /// - Parameter workerArguments: the hidden subcommand that calls ``runWorker(task:)``.
    public init(_ plan: BenchPlan, workerArguments: [String], tell: @escaping @Sendable (String) -> Void) {
        self.plan = plan
        self.workerArguments = workerArguments
        self.tell = tell
        result = BenchResult(machine: .current, plan: plan)
    }

    /// The process that a ``BenchTask`` describes; works until the parent closes stdin.
    public static func runWorker(task: String) async throws {
        guard let task = try? JSONDecoder().decode(BenchTask.self, from: Data(task.utf8)) else {
            throw BenchError("the worker's task is no task; workers are started by modelcast bench")
        }
        switch task {
        case .publisher(let plan): try await BenchPublisher(plan).run()
        case .subscriber(let plan, let endpoint): try await BenchSubscriber(plan, endpoint: endpoint).run()
        case .rawSender: try await RawSender().run()
        case .rawReceiver(let endpoint): try await RawReceiver(endpoint: endpoint).run()
        }
    }

    /// Measures everything; ends all processes whatever happens.
    /// - Throws: ``BenchError``, also when the digests differ: then no figure counts.
    public func run() async throws -> BenchResult {
        do {
            try await measure()
        } catch {
            await end()
            throw error
        }
        await end()
        return result
    }

    private func measure() async throws {
        tell("populating \(Figures.grouped(plan.models)) models and joining")
        let (publisher, _) = try await start("bench publisher", .publisher(plan))
        try await populate(publisher)
        let endpoint = publisherEndpoint
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
        try await join(subscriber)
        for round in 1...max(1, plan.rounds) {
            tell("throughput, round \(round) of \(plan.rounds): raw libzmq, then Modelcast")
            result.rawRounds.append(try await rawThroughput())
            try await throughput(publisher, subscriber, batch: 1, run: 2 * round)
            result.rawRounds.append(try await rawThroughput())
            try await throughput(publisher, subscriber, batch: plan.batch, run: 2 * round + 1)
        }
        result.rawRounds.append(try await rawThroughput())
        for round in 1...max(1, plan.rounds) {
            tell("latency, round \(round) of \(plan.rounds): raw libzmq, then Modelcast")
            try await rawLatency()
            try await latency(publisher, subscriber)
        }
        tell("reads while updates are applied")
        try await reads(publisher, subscriber)
        try await requireEqual(publisher, subscriber, after: "the reads")
        summarize()
    }

    private func summarize() {
        result.rawMessagesPerSecond = result.rawRounds.median ?? 0
        result.single.updatesPerSecond = result.single.rounds.median ?? 0
        result.batched.updatesPerSecond = result.batched.rounds.median ?? 0
        result.rawLatency = middle(latencies.raw)
        result.rawLatencyFromCall = middle(latencies.rawFromCall)
        result.latency = middle(latencies.modelcast)
        result.latencyFromCall = middle(latencies.modelcastFromCall)
        result.generatorLateness = middle(latencies.lateness)
    }

    /// Of several rounds the one whose median is in the middle.
    private func middle(_ summaries: [LatencySummary]) -> LatencySummary? {
        let median = summaries.map(\.median).median
        return summaries.first { $0.median == median }
    }

    // MARK: Processes

    private(set) var publisherEndpoint = ""

    /// Starts a process and waits until it can be used.
    func start(_ name: String, _ task: BenchTask) async throws -> (Child<BenchOrder, BenchReply>, endpoint: String) {
        let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        let child = try Child<BenchOrder, BenchReply>(name: name, arguments: workerArguments + [text])
        children.append(child)
        guard case .ready(let endpoint) = try await child.next(within: .seconds(20)) else { throw unexpected(name) }
        if case .publisher = task { publisherEndpoint = endpoint }
        return (child, endpoint)
    }

    /// Ends one process.
    func end(_ child: Child<BenchOrder, BenchReply>) async {
        await child.end()
        children.removeAll { $0 === child }
    }

    private func end() async {
        for child in children { child.release() }
        for child in children { await child.end() }
        children = []
    }

    /// Ends all processes at once.
    public func kill() { for child in children { child.kill() } }

    func unexpected(_ name: String) -> BenchError {
        BenchError("\(name) answered something else than it was asked for")
    }
}
