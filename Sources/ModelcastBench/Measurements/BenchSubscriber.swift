import Dispatch
import Foundation
import Modelcast
import Synchronization

/// The subscribing process of the measurement.
actor BenchSubscriber {
    let plan: BenchPlan
    let subscriber: Subscriber
    private let workload: Workload
    private let ends = Ends()
    private let samples = Samples()
    private let queue = DispatchQueue(label: "bench-observer")
    private var endObservation: CacheObservation?
    private var progressObservation: CacheObservation?
    private var latency: LatencyObserver?
    private var canonical: CanonicalObservers?
    var sleeper: SleepingObserver?
    var mixed: MixedReaders?
    private var running: Task<Void, any Error>?
    /// How many models have been fetched one by one.
    private var fetchedCount = 0
    /// The contents of the store at the start, and how long reading them took.
    private let warm: BenchReply.Warm

    init(
        _ plan: BenchPlan, endpoint: String, store: String?, protection: BenchProtection = .nothing,
        isLazy: Bool = false
    ) throws {
        self.plan = plan
        var configuration = SubscriberConfiguration(
            name: "bench-subscriber", publishers: endpoint.split(separator: " ").map(String.init))
        configuration.queueByteCount = plan.queueMebibytes << 20
        configuration.store = store
        configuration.prefetch = isLazy ? .none : .all
        configuration.security = try protection.subscriber()
        let begin = MonotonicClock.nanoseconds
        subscriber = try Subscriber(configuration, logger: Worker.logger("bench-subscriber"))
        warm = BenchReply.Warm(
            seconds: Double(MonotonicClock.nanoseconds - begin) / 1e9,
            models: subscriber.cache.count(of: Workload.type))
        workload = Workload(models: plan.models)
    }

    func run() async throws {
        let link = ParentLink<BenchOrder, BenchReply>()
        let ends = ends
        endObservation = subscriber.observe(
            .model(type: Workload.endType, id: Workload.endID), on: DispatchQueue(label: "bench-end")
        ) { changes in
            let now = MonotonicClock.nanoseconds
            for change in changes {
                guard let run = change.new?["run"]?.intValue else { continue }
                ends.note(Int(run), now)
            }
        }
        let samples = samples
        progressObservation = subscriber.observe(
            .model(type: Workload.endType, id: Workload.progressID), on: DispatchQueue(label: "bench-progress")
        ) { changes in
            let now = MonotonicClock.nanoseconds
            for change in changes {
                guard let count = change.new?["count"]?.intValue else { continue }
                samples.add(BenchReply.Sample(nanoseconds: now, count: UInt64(count)))
            }
        }
        link.tell(.ready(endpoint: ""))
        for await order in link.orders { link.tell(try await carryOut(order)) }
        running?.cancel()
    }

    private func carryOut(_ order: BenchOrder) async throws -> BenchReply {
        switch order {
        case .join: .joined(try await join())
        case .fetch(let count, let askers): .fetched(try await fetch(count: count, askers: askers))
        case .awaitEnd(let run): .ended(nanoseconds: try await ends.time(of: run))
        case .takeSamples: .samples(samples.take())
        case .observe(let inline): try await observe(inline: inline)
        case .endObserving: try await endObserving()
        case .observeCanonically: try await observeCanonically()
        case .awaitTold: .told(try await told())
        case .read(let threads, let seconds, let decoding):
            .reads(try await read(threads: threads, seconds: seconds, decoding: decoding))
        case .awaitApplied(let sequence): .applied(nanoseconds: try await applied(sequence))
        case .observeAsleep: try await observeAsleep()
        case .wakeObserver: .woken(try await wakeObserver())
        case .warmStart: .warm(warm)
        case .leave: .left(seconds: try await leave())
        case .beginMixed: try await beginMixed()
        case .endMixed: .mixed(try await endMixed())
        case .copy: .copy(Worker.types(subscriber.cache))
        case .state: .state(state())
        case .processor: .processor(seconds: ProcessFigures.processorSeconds)
        default: throw BenchError("a subscriber does not know the order \(order)")
        }
    }

    /// Listens, from the first call on.
    func listen() {
        guard running == nil else { return }
        let subscriber = subscriber
        running = Task { try await subscriber.run() }
    }

    /// The next ids of the workload.
    func nextIDs(_ count: Int) throws -> ArraySlice<String> {
        guard fetchedCount + count <= workload.ids.count else {
            throw BenchError("\(workload.ids.count) models are too few: raise --models")
        }
        defer { fetchedCount += count }
        return workload.ids[fetchedCount..<fetchedCount + count]
    }

    private func join() async throws -> BenchReply.Joined {
        let before = ProcessFigures.residentByteCount
        let start = MonotonicClock.nanoseconds
        listen()
        try await subscriber.waitUntilLive()
        let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        let after = ProcessFigures.residentByteCount
        var encoded = 0
        for record in subscriber.snapshot().records(of: Workload.type) { encoded += record.byteCount }
        return BenchReply.Joined(
            seconds: seconds, models: subscriber.cache.count(of: Workload.type),
            residentByteCount: Int(after) - Int(before), encodedByteCount: encoded)
    }

    private func leave() async throws -> Double {
        let begin = MonotonicClock.nanoseconds
        running?.cancel()
        try await running?.value
        return Double(MonotonicClock.nanoseconds - begin) / 1e9
    }

    private func observe(inline: Bool) async throws -> BenchReply {
        let observer = LatencyObserver(models: plan.models)
        latency = observer
        observer.begin(
            inline
                ? subscriber.observe(.type(Workload.type), inline: { observer.take($0) })
                : subscriber.observe(.type(Workload.type), on: queue) { observer.take($0) })
        let deadline = ContinuousClock.now + .seconds(20)
        while !observer.isPastInitial {
            guard ContinuousClock.now < deadline else { throw BenchError("the initial state was not told within 20 s") }
            try await Task.sleep(for: .milliseconds(5))
        }
        return .observing
    }

    private func endObserving() async throws -> BenchReply {
        guard let observer = latency else { throw BenchError("nothing is observed") }
        latency = nil
        observer.end()
        return .latency(observer.figures)
    }

    private func observeCanonically() async throws -> BenchReply {
        canonical?.end()
        canonical = CanonicalObservers(subscriber, workload.ids)
        _ = try await told()
        return .observing
    }

    private func told() async throws -> BenchReply.Told {
        guard let canonical else { throw BenchError("nothing is observed") }
        return try await canonical.awaitTold()
    }

    private func read(threads: Int, seconds: Double, decoding: Bool) async throws -> BenchReply.Reads {
        let subscriber = subscriber
        let ids = workload.ids
        let results = try await withThrowingTaskGroup(of: PointReads.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    try await Blocking.run(named: "bench-read") {
                        PointReads.measure(
                            subscriber.cache.table(Workload.type), ids, seed: UInt64(thread), seconds: seconds,
                            decoding: decoding)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return BenchReply.Reads(
            perSecond: results.reduce(0) { $0 + $1.perSecond },
            processorNanoseconds: results.reduce(0) { $0 + $1.processorNanoseconds } / Double(threads),
            missed: results.reduce(0) { $0 + $1.missed })
    }

    private func state() -> BenchReply.State {
        let status = subscriber.status
        return BenchReply.State(
            models: subscriber.cache.count(of: Workload.type),
            digest: Digests.text(subscriber.cache.digest(of: Workload.type)), isLive: status.isLive,
            appliedUpdates: status.counters[.appliedUpdates] + status.counters[.unchangedUpdates],
            appliedBatches: status.counters[.appliedBatches], holesFound: status.counters[.holesFound],
            counters: Dictionary(uniqueKeysWithValues: status.counters.nonZero.map { ($0.name.label, $0.value) }),
            processorSeconds: ProcessFigures.processorSeconds)
    }
}

/// How many updates of a run had been applied by which times.
private final class Samples: Sendable {
    private let samples = Mutex<[BenchReply.Sample]>([])

    func add(_ sample: BenchReply.Sample) { samples.withLock { $0.append(sample) } }

    func take() -> [BenchReply.Sample] {
        samples.withLock { samples in
            defer { samples = [] }
            return samples
        }
    }
}

/// When the end of each run was seen.
private final class Ends: Sendable {
    private let times = Mutex<[Int: UInt64]>([:])

    func note(_ run: Int, _ time: UInt64) { times.withLock { $0[run] = time } }

    func time(of run: Int) async throws -> UInt64 {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            if let time = times.withLock({ $0[run] }) { return time }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw BenchError("the end of run \(run) was not seen within 120 s")
    }
}
