import Foundation
@_spi(CacheWriting) import ModelCache
import ModelWire
import Modelcast

/// Publishers, relays and subscribers as child processes, and the comparison of their copies once nothing changes any
/// more.
public actor Trial {
    /// One process of the trial.
    public struct Member: Sendable {
        /// The name of the process.
        public let name: String
        /// True for a publisher, false for a relay or a subscriber.
        public let isPublisher: Bool
        /// The last report of the process; nil before the first.
        public fileprivate(set) var report: WorkerReport?
        /// The control endpoint of a publisher or relay, once it is bound.
        public fileprivate(set) var endpoint: String?
        /// Updates a second, over about the last second.
        public fileprivate(set) var rate: Double = 0
        fileprivate let child: Child<WorkerOrder, WorkerReport>
        fileprivate var isAtRest = false
        fileprivate var marks: [(time: ContinuousClock.Instant, updates: UInt64)] = []
    }

    /// The publishers in the order of their start.
    public private(set) var publishers: [Member] = []
    /// The relays, which listen to all publishers.
    public private(set) var relays: [Member] = []
    /// The subscribers in the order of their start.
    public private(set) var subscribers: [Member] = []
    /// The processes that must hold what the publishers hold.
    var copies: [Member] { relays + subscribers }
    /// The arguments that make this executable a worker; the task follows.
    private let workerArguments: [String]
    /// The keys of the processes, and what each may do; nil for none.
    let security: TrialSecurity?

    /// - Parameters:
    ///   - workerArguments: the arguments with which this program calls ``Worker/run(task:)``, without the task.
    ///   - security: the keys of the processes, and what each may do; nil for none.
    public init(workerArguments: [String], security: TrialSecurity? = nil) {
        (self.workerArguments, self.security) = (workerArguments, security)
    }

    // MARK: Starting

    /// Starts a publisher and waits until it is bound. Its load waits for ``begin()``.
    /// - Throws: ``BenchError`` when it is not bound within ten seconds.
    public func addPublisher(_ name: String, _ load: WorkerTask.LoadChoice) async throws {
        let task = WorkerTask.publish(name: name, load: load, keys: security?.keys(of: name))
        publishers.append(try start(name, task, isPublisher: true))
        try await waitUntilBound(name) { publishers.last }
    }

    /// Starts a relay that listens to all publishers that have been added, and waits until it is bound.
    /// - Throws: ``BenchError`` when it is not bound within ten seconds.
    public func addRelay(_ name: String) async throws {
        let servers = publisherNames
        let task = WorkerTask.relay(
            name: name, publishers: publishers.compactMap(\.endpoint),
            keys: security?.keys(of: name, connectingTo: servers))
        relays.append(try start(name, task, isPublisher: false))
        try await waitUntilBound(name) { relays.last }
    }

    private func waitUntilBound(_ name: String, _ member: () -> Member?) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while member()?.endpoint == nil {
            guard ContinuousClock.now < deadline else { throw BenchError("\(name) was not bound within 10 s") }
            try await Task.sleep(for: .milliseconds(5))
            try refresh()
        }
    }

    /// Starts a subscriber to all publishers that have been added.
    /// - Parameters:
    ///   - showsHost: whether the subscriber's reports have a note about the host.
    ///   - isInspected: whether it serves the inspector.
    public func addSubscriber(_ name: String, showsHost: Bool = false, isInspected: Bool = false) throws {
        let task = WorkerTask.subscribe(
            name: name, publishers: publishers.compactMap(\.endpoint), showsHost: showsHost, isInspected: isInspected,
            keys: security?.keys(of: name, connectingTo: publisherNames))
        subscribers.append(try start(name, task, isPublisher: false))
    }

    /// The names of the publishers, by control endpoint.
    private var publisherNames: [String: String] {
        Dictionary(publishers.compactMap { member in member.endpoint.map { ($0, member.name) } }) { first, _ in first }
    }

    private func start(_ name: String, _ task: WorkerTask, isPublisher: Bool) throws -> Member {
        Member(name: name, isPublisher: isPublisher, child: try Child(name: name, launch: launch(name, task)))
    }

    /// The launch of a worker.
    func launch(_ name: String, _ task: WorkerTask) throws -> ChildLaunch {
        var launch = ChildLaunch(
            arguments: workerArguments + [String(decoding: try JSONEncoder().encode(task), as: UTF8.self)])
        launch.errorPath = security?.logPath(of: name)
        return launch
    }

    /// Lets all publishers start their loads.
    public func begin() { for member in publishers { member.child.tell(.begin) } }

    // MARK: Watching

    /// Takes the reports of the processes.
    /// - Throws: ``BenchError`` when a process has ended.
    public func refresh() throws {
        for index in publishers.indices { try publishers[index].refresh() }
        for index in relays.indices { try relays[index].refresh() }
        for index in subscribers.indices { try subscribers[index].refresh() }
    }

    // MARK: Coming to rest

    /// Ends all loads, and waits until every copy has applied everything that was sent.
    /// - Returns: false when loads have not ended, or a copy has not applied everything, within `limit`.
    public func settle(within limit: Duration) async throws -> Bool {
        for member in publishers { member.child.tell(.quiesce) }
        let deadline = ContinuousClock.now + limit
        while !publishers.allSatisfy(\.isAtRest) {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(5))
            try refresh()
        }
        var heads: [WorkerReport.StreamHead] = []
        for member in publishers { heads += try await headsSent(by: member) }
        while !copies.allSatisfy({ $0.hasApplied(heads) }) {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(5))
            try refresh()
        }
        return true
    }

    private func headsSent(by member: Member) async throws -> [WorkerReport.StreamHead] {
        guard let client = try client(of: member) else { return [] }
        return try await client.welcome().heads.flatMap { heads in
            heads.heads.map {
                WorkerReport.StreamHead(
                    origin: heads.origin, topic: $0.topic.description, sequence: $0.sequence)
            }
        }
    }

    /// A client of a publisher or relay, with the key of this process where there are keys; nil where it is not bound.
    func client(of member: Member) throws -> ControlClient? {
        guard let endpoint = member.endpoint else { return nil }
        let keys = security?.keys(of: TrialSecurity.asker, connectingTo: [endpoint: member.name])
        return try ControlClient(endpoint: endpoint, security: keys?.security())
    }

    /// How many batches each publisher has sent, by its name.
    public func batchesSent() async throws -> [String: UInt64] {
        var result: [String: UInt64] = [:]
        for member in publishers {
            result[member.name] = try await headsSent(by: member).reduce(0) { $0 + $1.sequence }
        }
        return result
    }

    /// The state that every subscriber must hold: the join of all publishers' records. This process asks each publisher
    /// for each of its ids.
    ///
    /// The join does not come from the stream, so an error there cannot hide itself.
    /// - Parameter ids: by the name of a publisher, the ids to ask for.
    public func joinOfPublishers(
        ids: [String: [(type: String, ids: [String])]]
    ) async throws
        -> [WorkerReport.TypeState]
    {
        let cache = ModelCache()
        for member in publishers {
            guard let endpoint = member.endpoint, let wanted = ids[member.name] else { continue }
            try await Trial.join(wanted, of: endpoint, into: cache)
        }
        return Worker.types(cache)
    }

    /// Asks a publisher for each id of `wanted`, and joins its records into `cache`.
    static func join(
        _ wanted: [(type: String, ids: [String])], of endpoint: String, into cache: ModelCache
    ) async throws {
        let client = try ControlClient(endpoint: endpoint, timeout: .seconds(20))
        for (type, ids) in wanted {
            for start in stride(from: 0, to: ids.count, by: 1_000) {
                let records = try await client.fetch(type, Array(ids[start..<min(start + 1_000, ids.count)]))
                cache.commit { commit in for record in records { commit.join(record, type: type) } }
            }
        }
    }

    // MARK: Ending

    /// Ends all processes, in good order where that works.
    public func end() async {
        let children = (copies + publishers).map(\.child)
        for child in children { child.release() }
        for child in children { await child.end() }
    }

    /// Kills all processes at once.
    public func kill() { for member in copies + publishers { member.child.kill() } }
}

extension Trial.Member {
    fileprivate mutating func refresh() throws {
        for report in try child.drain() {
            if let endpoint = report.endpoint { self.endpoint = endpoint }
            if report.event == .rest { isAtRest = true }
            guard report.event != .ready else { continue }
            self.report = report
            let now = ContinuousClock.now
            marks.append((now, report.updates))
            if marks.count > 5 { marks.removeFirst() }
            guard let first = marks.first, now > first.time else { continue }
            rate = Double(report.updates - first.updates) / ((now - first.time) / .seconds(1))
        }
    }

    /// True when the copy is live and has applied everything up to `heads`.
    fileprivate func hasApplied(_ heads: [WorkerReport.StreamHead]) -> Bool {
        guard let report, report.isLive else { return false }
        return heads.allSatisfy { head in
            report.heads.contains { $0.origin == head.origin && $0.topic == head.topic && $0.sequence >= head.sequence }
        }
    }
}
