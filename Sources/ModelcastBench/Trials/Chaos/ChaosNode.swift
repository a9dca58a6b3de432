/// One process of a chaos trial over all its lives: its role, its endpoint, and the counts of its earlier lives.
struct ChaosNode: Sendable {
    let name: String
    let role: ChaosRole
    /// The number among the processes of its role, from 0.
    let index: Int
    /// The control endpoint; only publishers and relays serve there.
    let endpoint: String
    /// How often it has been started.
    private(set) var starts = 0
    private(set) var child: Child<WorkerOrder, WorkerReport>?
    /// True while the process must run: its end would be a failure of the trial.
    private(set) var isMeantToRun = false
    /// The last report of the present life.
    private(set) var report: WorkerReport?
    private(set) var isAtRest = false
    private(set) var hasWritten = false
    /// The jobs of a pusher that have ended with exit code 0: all that they pushed was acknowledged.
    private(set) var acknowledged: [ChaosJob] = []
    /// When a pusher's next job is to start.
    private var nextStart: ContinuousClock.Instant?
    /// The counters of the earlier lives.
    private var past: [String: UInt64] = [:]
    private var pastStaleness: UInt64 = 0
    private var pastUpdates: UInt64 = 0

    init(name: String, role: ChaosRole, index: Int, endpoint: String) {
        self.name = name
        self.role = role
        self.index = index
        self.endpoint = endpoint
    }

    /// Notes that a new life has begun.
    mutating func begin(_ child: Child<WorkerOrder, WorkerReport>) {
        self.child = child
        starts += 1
        isMeantToRun = true
        isAtRest = false
        hasWritten = false
    }

    /// Notes that the present life is about to end.
    mutating func willEnd() { isMeantToRun = false }

    /// Notes that the present life is over, and keeps its counts.
    mutating func didEnd() throws {
        try takeReports()
        if let report {
            past.merge(report.counters, uniquingKeysWith: &+)
            pastUpdates += report.updates
            pastStaleness = max(pastStaleness, report.stalenessMaxMilliseconds)
        }
        report = nil
        child = nil
    }

    /// Takes the reports of the process.
    /// - Throws: ``BenchError`` when the process has ended by itself.
    mutating func refresh() throws {
        try takeReports()
        guard isMeantToRun, role != .pusher, let child, !child.isRunning else { return }
        throw BenchError("\(name) has ended by itself, with \(child.endText); see its log")
    }

    /// Notes a pusher's job that has ended.
    /// - Returns: the pusher's next job, when it is time for one.
    /// - Throws: ``BenchError`` when a job has failed.
    mutating func nextJob() throws -> ChaosJob? {
        guard role == .pusher, isMeantToRun else { return nil }
        if let child, !child.isRunning {
            guard child.endText == "exit code 0" else {
                throw BenchError("\(name): a job has ended with \(child.endText); see its log")
            }
            acknowledged.append(ChaosJob(pusher: index, number: starts - 1))
            self.child = nil
            nextStart = .now + ChaosJob.pause
        }
        guard child == nil, let nextStart, ContinuousClock.now >= nextStart else { return nil }
        return ChaosJob(pusher: index, number: starts)
    }

    private mutating func takeReports() throws {
        for report in try child?.take() ?? [] {
            switch report.event {
            case .ready: continue
            case .written:
                hasWritten = true
                continue
            case .rest: isAtRest = true
            case .status: break
            }
            self.report = report
        }
    }

    /// A counter, over all lives.
    func counter(_ name: String) -> UInt64 { past[name, default: 0] &+ (report?.counters[name] ?? 0) }

    /// Updates published or received, over all lives.
    var updates: UInt64 { pastUpdates + (report?.updates ?? 0) }

    /// The greatest age of the process's copy, over all lives.
    var stalenessMaxMilliseconds: UInt64 { max(pastStaleness, report?.stalenessMaxMilliseconds ?? 0) }
}
