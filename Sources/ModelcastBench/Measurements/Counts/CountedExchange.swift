import Dispatch
import Modelcast
import Synchronization

/// A publisher and a subscriber in one process, over TCP loopback, whose system calls are counted.
final class CountedExchange: Sendable {
    private let publisher: Publisher
    private let workload: Workload
    private let load: Mutex<BenchLoad>
    private let told = DispatchSemaphore(value: 0)

    private static let timeLimit = DispatchTimeInterval.seconds(60)

    init(_ workload: Workload, _ load: BenchLoad) throws {
        self.workload = workload
        self.load = Mutex(load)
        publisher = try Publisher(
            PublisherConfiguration(name: "bench", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: Worker.logger("bench"))
    }

    /// Publishes updates until all were told.
    /// - Parameter alone: waits after each update until it has been told.
    /// - Returns: how many frames were published.
    func run(_ updates: Int, alone: Bool) throws -> Int {
        let outcome = Mutex<Result<Int, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            defer { done.signal() }
            do {
                let frames = try await self.exchange(updates, alone: alone)
                outcome.withLock { $0 = .success(frames) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        done.wait()
        return try outcome.withLock { try $0?.get() } ?? 0
    }

    private func exchange(_ updates: Int, alone: Bool) async throws -> Int {
        let publishing = Task { [publisher] in try await publisher.run() }
        defer { publishing.cancel() }
        var numbers = SeededNumbers(seed: 3)
        for id in workload.ids { try publisher.merge(Workload.type, id, Workload.whole(&numbers)) }
        let subscriber = try Subscriber(
            SubscriberConfiguration(
                name: "bench-subscriber", publishers: [try await publisher.boundEndpoints.control]),
            logger: Worker.logger("bench-subscriber"))
        let subscribing = Task { try await subscriber.run() }
        defer { subscribing.cancel() }
        try await subscriber.waitUntilLive()
        let type = alone ? Workload.type : Workload.endType
        let observation = subscriber.observe(.type(type), on: DispatchQueue(label: "bench-told")) { [told] changes in
            if !changes.isInitial { told.signal() }
        }
        try await Blocking.run(named: "bench-load") {
            if alone { try self.publishAlone(updates) } else { try self.publishBatches(updates) }
        }
        observation.cancel()
        guard subscriber.cache.digest(of: Workload.type) == publisher.cache.digest(of: Workload.type) else {
            throw BenchError("the digests differ; no count counts")
        }
        return Int(publisher.status.counters[.publishedBatches])
    }

    private func publishAlone(_ updates: Int) throws {
        for _ in 0..<updates {
            let write = load.withLock { $0.next() }
            let (id, fields) = load.withLock { ($0.ids[write.id], $0.updates[write.fields]) }
            guard case .published = try publisher.merge(Workload.type, id, fields) else { continue }
            try awaitTold()
        }
    }

    private func publishBatches(_ updates: Int) throws {
        for _ in 0..<(updates / CountedLoad.batchCount) {
            _ = try publisher.insisting {
                try publisher.batch { batch in
                    for _ in 0..<CountedLoad.batchCount {
                        let (id, fields) = load.withLock { load in
                            let write = load.next()
                            return (load.ids[write.id], load.updates[write.fields])
                        }
                        try batch.merge(Workload.type, id, fields)
                    }
                }
            }
        }
        try publisher.merge(Workload.endType, Workload.endID, ["run": 1])
        try awaitTold()
    }

    private func awaitTold() throws {
        guard told.wait(timeout: .now() + CountedExchange.timeLimit) == .success else {
            throw BenchError("an update was not told within a minute")
        }
    }
}
