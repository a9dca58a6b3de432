import Foundation

/// The measurement: processes of Modelcast take turns with processes of raw libzmq.
///
/// The speed of such machines differs by a factor of two from one hour to the next, so a figure means something only
/// beside the raw figure of the same run.
public actor Measurement {
    let plan: BenchPlan
    let workerArguments: [String]
    private let show: @Sendable (BenchProgress) -> Void
    private var progress: BenchProgress?
    var children: [Child<BenchOrder, BenchReply>] = []
    /// How many copies of the present scenario were compared and found equal.
    var equalCopies = 0

    /// - Parameters:
    ///   - plan: the scenarios and their sizes.
    ///   - workerArguments: the arguments with which this program calls ``runWorker(task:)``, without the task.
    ///   - show: shows a person the progress. Called on the actor.
    public init(_ plan: BenchPlan, workerArguments: [String], show: @escaping @Sendable (BenchProgress) -> Void) {
        self.plan = plan
        self.workerArguments = workerArguments
        self.show = show
    }

    /// Runs this process as the ``BenchTask`` says, until the parent closes stdin.
    /// - Parameter task: the task as JSON.
    /// - Throws: ``BenchError`` for text that is no task.
    public static func runWorker(task: String) async throws {
        guard let task = try? JSONDecoder().decode(BenchTask.self, from: Data(task.utf8)) else {
            throw BenchError("the worker's task is no task; workers are started by modelcast bench")
        }
        switch task {
        case .publisher(let plan, let protection): try await BenchPublisher(plan, protection: protection).run()
        case .subscriber(let plan, let endpoint, let store, let protection, let isLazy):
            let subscriber = try BenchSubscriber(
                plan, endpoint: endpoint, store: store, protection: protection, isLazy: isLazy)
            try await subscriber.run()
        case .pusher(let plan, let relay): try await BenchPublisher(plan, pushingTo: relay).run()
        case .relay(let plan, let endpoint, let store):
            try await BenchRelay(plan, endpoint: endpoint, store: store).run()
        case .rawSender(let isBulk): try await RawSender(isBulk: isBulk).run()
        case .rawReceiver(let endpoint, let isBulk): try await RawReceiver(endpoint: endpoint, isBulk: isBulk).run()
        case .frameRecorder(let endpoint): try await FrameRecorder(endpoint: endpoint).run()
        case .rawFanoutSender: try await FanoutSender().run()
        case .rawFanoutReceiver(let endpoint): try await FanoutReceiver(endpoint: endpoint).run()
        case .leaseHolders(let sizes, let isLeased): try await LeaseHolders(sizes, isLeased: isLeased).run()
        case .local(let sizes, let scenario): try await LocalPeer(sizes: sizes, scenario: scenario).run()
        }
    }

    /// Measures all scenarios of the plan. All processes are ended, whatever happens.
    ///
    /// Where copies differ the run ends, and the report has no figures and names the copies.
    /// - Parameters:
    ///   - commit: the commit of the build.
    ///   - command: the command line that repeats the run.
    /// - Throws: ``BenchError`` when something else goes wrong.
    public func run(commit: String, command: String) async throws -> BenchReport {
        var report = BenchReport(
            machine: .current, commit: commit, command: command, start: Date(), seconds: 0, plan: plan)
        let start = MonotonicClock.nanoseconds
        do {
            report.parts = try await measure()
        } catch let difference as DigestDifference {
            report.differences = [difference.text]
        } catch {
            await end()
            throw error
        }
        await end()
        report.seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        return report
    }

    private func measure() async throws -> [BenchPart] {
        let scenarios = BenchScenario.allCases.filter { plan.scenarios.contains($0) }
        var parts: [BenchPart] = []
        for (index, scenario) in scenarios.enumerated() {
            progress = BenchProgress(scenario, index + 1, of: scenarios.count, "")
            equalCopies = 0
            var part = try await measure(scenario)
            part.equalCopies += equalCopies
            parts.append(part)
            await end()
        }
        return parts
    }

    /// Measures one scenario. It may leave processes behind, which its caller ends. ``requireEqual(_:_:after:)`` counts
    /// the copies that were compared.
    private func measure(_ scenario: BenchScenario) async throws -> BenchPart {
        switch scenario {
        case .throughput: try await measureThroughput()
        case .latency: try await measureLatency()
        case .reads: try await measureReads()
        case .fields: try await measureFields()
        case .recovery: try await measureRecovery()
        case .observer: try await measureSleepingObserver()
        case .join: try await measureLargeJoin()
        case .fetch: try await measureFetches()
        case .warmStart: try await measureWarmStart()
        case .push: try await measurePushes()
        case .relay: try await measureRelay()
        case .models: try measureModels()
        case .memory: try await measureMemory()
        case .growth: try await measureGrowth()
        case .observers: try await measureObservers()
        case .snapshot: try await measureSnapshot()
        case .limits: try await measureLimits()
        case .leases: try await measureLeases()
        case .fanout: try await measureFanout()
        case .mixed: try await measureMixed()
        case .peers: try await measurePeers()
        }
    }

    /// Shows a person what the scenario does now, such as "round 1 of 3".
    func tell(_ text: String) {
        guard var progress else { return }
        progress.text = text
        show(progress)
    }

    // MARK: Processes

    /// Starts a process and waits until it can be used.
    /// - Parameter core: the core that all threads of the process stay on; nil for any.
    func start(
        _ name: String, _ task: BenchTask, core: Int? = nil
    ) async throws -> (Child<BenchOrder, BenchReply>, endpoint: String) {
        let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        var launch = ChildLaunch(arguments: workerArguments + [text])
        if let core { launch.prefix = Cores.binding(to: core) }
        let child = try Child<BenchOrder, BenchReply>(name: name, launch: launch)
        children.append(child)
        // A subscriber with a store reads it before it is ready, so the limit is long.
        guard case .ready(let endpoint) = try await child.next(within: .seconds(60)) else { throw unexpected(name) }
        return (child, endpoint)
    }

    /// Ends one process.
    func end(_ child: Child<BenchOrder, BenchReply>) async {
        await child.end()
        children.removeAll { $0 === child }
    }

    /// Ends all processes in good order, so that none takes processor time from the next part.
    func end() async {
        for child in children { child.release() }
        for child in children { await child.end() }
        children = []
    }

    /// Kills all processes at once.
    public func kill() { for child in children { child.kill() } }

    /// Makes a folder for stores, and removes it when `body` has ended.
    func withFolder<Result>(_ body: (_ folder: URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelcast-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    func unexpected(_ name: String) -> BenchError {
        BenchError("\(name) answered something else than it was asked for")
    }
}

/// The error for two copies that ought to be equal and are not.
struct DigestDifference: Error {
    let text: String
}
