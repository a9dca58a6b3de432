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
    /// Nanoseconds that one message of raw libzmq cost the processes, of each round.
    var rawProcessor: [(sender: Double, receiver: Double)] = []

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
        case .subscriber(let plan, let endpoint, let store):
            try await BenchSubscriber(plan, endpoint: endpoint, store: store).run()
        case .pusher(let plan, let relay): try await BenchPublisher(plan, pushingTo: relay).run()
        case .relay(let plan, let endpoint, let store):
            try await BenchRelay(plan, endpoint: endpoint, store: store).run()
        case .rawSender(let isBulk): try await RawSender(isBulk: isBulk).run()
        case .rawReceiver(let endpoint, let isBulk): try await RawReceiver(endpoint: endpoint, isBulk: isBulk).run()
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
        if plan.measures(.throughput, .latency, .reads, .fields) { try await measurePair() }
        if plan.measures(.recovery) { try await measureRecovery() }
        if plan.measures(.observer) { try await measureSleepingObserver() }
        if plan.measures(.join, .warmStart) { try await measureLargeJoin() }
        if plan.measures(.push) { try await measurePushes() }
        if plan.measures(.relay) { try await measureRelay() }
        if plan.measures(.models) { try measureModels() }
        summarize()
    }

    /// What one publisher and one subscriber are enough for.
    private func measurePair() async throws {
        tell("populating \(Figures.grouped(plan.models)) models and joining")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await populate(publisher)
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
        try await join(subscriber)
        if plan.measures(.fields) { try await makeFields(publisher) }
        if plan.measures(.throughput) { try await throughputBesideRaw(publisher, subscriber) }
        if plan.measures(.latency) {
            for round in 1...max(1, plan.rounds) {
                tell("latency, round \(round) of \(plan.rounds): raw libzmq, then Modelcast")
                try await rawLatency()
                try await latency(publisher, subscriber)
            }
        }
        if plan.measures(.reads) {
            tell("reads while updates are applied")
            try await reads(publisher, subscriber)
            try await requireEqual(publisher, subscriber, after: "the reads")
        }
        await end()
    }

    /// Each round of Modelcast stands between two of raw libzmq, and is compared with those.
    private func throughputBesideRaw(_ publisher: Process, _ subscriber: Process) async throws {
        var before = try await rawThroughput()
        for round in 1...max(1, plan.rounds) {
            tell("throughput, round \(round) of \(plan.rounds): Modelcast, raw libzmq, Modelcast, raw libzmq")
            for (kind, batch) in [(\BenchResult.single, 1), (\BenchResult.batched, plan.batch)] {
                let run = 2 * round + (batch > 1 ? 1 : 0)
                let figures = try await throughput(publisher, subscriber, batch: batch, run: run)
                let after = try await rawThroughput()
                // Of as many messages before as after: their time counts, as if it were one round.
                let raw = 2 / (1 / before + 1 / after)
                result[keyPath: kind].add(figures, besideRaw: raw)
                result.holes += figures.holes
                before = after
            }
        }
    }

    private func summarize() {
        result.rawMessagesPerSecond = result.rawRounds.median ?? 0
        result.rawSenderNanoseconds = rawProcessor.map(\.sender).median ?? 0
        result.rawReceiverNanoseconds = rawProcessor.map(\.receiver).median ?? 0
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

    /// Starts a process and waits until it can be used.
    func start(_ name: String, _ task: BenchTask) async throws -> (Child<BenchOrder, BenchReply>, endpoint: String) {
        let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        let child = try Child<BenchOrder, BenchReply>(name: name, arguments: workerArguments + [text])
        children.append(child)
        // A subscriber with a store reads it first.
        guard case .ready(let endpoint) = try await child.next(within: .seconds(60)) else { throw unexpected(name) }
        return (child, endpoint)
    }

    /// Ends one process.
    func end(_ child: Child<BenchOrder, BenchReply>) async {
        await child.end()
        children.removeAll { $0 === child }
    }

    /// Ends all processes, to make room for those of the next part.
    func end() async {
        for child in children { child.release() }
        for child in children { await child.end() }
        children = []
    }

    /// Ends all processes at once.
    public func kill() { for child in children { child.kill() } }

    /// A folder for stores, which is removed when `body` is through.
    func withFolder(_ body: (_ folder: URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelcast-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    func unexpected(_ name: String) -> BenchError {
        BenchError("\(name) answered something else than it was asked for")
    }
}
