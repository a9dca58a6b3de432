import Foundation
@_spi(CacheWriting) import ModelCache
import ModelWire
import Modelcast

/// Publishers and subscribers as child processes, and the comparison of their copies once nothing changes any more.
public actor Trial {
    /// One process of the trial.
    public struct Member: Sendable {
        /// The name of the process.
        public let name: String
        /// True for a publisher, false for a subscriber.
        public let isPublisher: Bool
        /// The last report of the process; nil before the first.
        public fileprivate(set) var report: WorkerReport?
        /// The control endpoint of a publisher, once it is bound.
        public fileprivate(set) var endpoint: String?
        /// Updates a second, over about the last second.
        public fileprivate(set) var rate: Double = 0
        fileprivate let child: Child<WorkerOrder, WorkerReport>
        fileprivate var isAtRest = false
        fileprivate var marks: [(time: ContinuousClock.Instant, updates: UInt64)] = []
    }

    /// The publishers in the order of their start.
    public private(set) var publishers: [Member] = []
    /// The subscribers in the order of their start.
    public private(set) var subscribers: [Member] = []
    /// The arguments that make this executable a worker; the task follows.
    private let workerArguments: [String]

    /// - Parameter workerArguments: the arguments with which this program calls ``Worker/run(task:)``, without the
    ///   task.
    public init(workerArguments: [String]) { self.workerArguments = workerArguments }

    // MARK: Starting

    /// Starts a publisher and waits until it is bound. Its load waits for ``begin()``.
    /// - Throws: ``BenchError`` when it is not bound within ten seconds.
    public func addPublisher(_ name: String, _ load: WorkerTask.LoadChoice) async throws {
        publishers.append(try start(name, .publish(name: name, load: load), isPublisher: true))
        let index = publishers.count - 1
        let deadline = ContinuousClock.now + .seconds(10)
        while publishers[index].endpoint == nil {
            guard ContinuousClock.now < deadline else { throw BenchError("\(name) was not bound within 10 s") }
            try await Task.sleep(for: .milliseconds(5))
            try refresh()
        }
    }

    /// Starts a subscriber to all publishers that have been added.
    /// - Parameter showsHost: whether the subscriber's reports have a note about the host.
    public func addSubscriber(_ name: String, showsHost: Bool = false) throws {
        let endpoints = publishers.compactMap(\.endpoint)
        let task = WorkerTask.subscribe(name: name, publishers: endpoints, showsHost: showsHost)
        subscribers.append(try start(name, task, isPublisher: false))
    }

    private func start(_ name: String, _ task: WorkerTask, isPublisher: Bool) throws -> Member {
        let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        return Member(
            name: name, isPublisher: isPublisher, child: try Child(name: name, arguments: workerArguments + [text]))
    }

    /// Lets all publishers start their loads.
    public func begin() { for member in publishers { member.child.tell(.begin) } }

    // MARK: Watching

    /// Takes the reports of the processes.
    /// - Throws: ``BenchError`` when a process has ended.
    public func refresh() throws {
        for index in publishers.indices { try publishers[index].refresh() }
        for index in subscribers.indices { try subscribers[index].refresh() }
    }

    // MARK: Coming to rest

    /// Ends all loads, and waits until every subscriber has applied everything that was sent.
    /// - Returns: false when loads have not ended, or a subscriber has not applied everything, within `limit`.
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
        while !subscribers.allSatisfy({ $0.hasApplied(heads) }) {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(5))
            try refresh()
        }
        return true
    }

    private func headsSent(by member: Member) async throws -> [WorkerReport.StreamHead] {
        guard let endpoint = member.endpoint else { return [] }
        return try await ControlClient(endpoint: endpoint).welcome().heads.flatMap { heads in
            heads.heads.map {
                WorkerReport.StreamHead(
                    origin: heads.origin, topic: $0.topic.description, sequence: $0.sequence)
            }
        }
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
        let children = (subscribers + publishers).map(\.child)
        for child in children { child.release() }
        for child in children { await child.end() }
    }

    /// Kills all processes at once.
    public func kill() { for member in subscribers + publishers { member.child.kill() } }
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

    /// True when the subscriber is live and has applied everything up to `heads`.
    fileprivate func hasApplied(_ heads: [WorkerReport.StreamHead]) -> Bool {
        guard let report, report.isLive else { return false }
        return heads.allSatisfy { head in
            report.heads.contains { $0.origin == head.origin && $0.topic == head.topic && $0.sequence >= head.sequence }
        }
    }
}
