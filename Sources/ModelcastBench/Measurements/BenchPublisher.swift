import Foundation
import Modelcast

/// The publishing process of the measurement.
struct BenchPublisher: Sendable {
    let plan: BenchPlan
    let publisher: Publisher
    let workload: Workload
    private let updates: [Fields]
    /// After so many updates of a run one more tells how many there were. A subscriber that sees it has applied them.
    private static let progressStep = 16_384

    /// - Parameter relay: the relay to push to instead of serving; nil for a publisher that serves.
    init(_ plan: BenchPlan, pushingTo relay: String? = nil, protection: BenchProtection = .nothing) throws {
        self.plan = plan
        var configuration =
            if let relay {
                PublisherConfiguration(name: "bench", pushingTo: [relay])
            } else {
                PublisherConfiguration(name: "bench", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
            }
        configuration.subscriberQueueByteCount = plan.queueMebibytes << 20
        configuration.replayByteCount = plan.ringMebibytes << 20
        configuration.security = try protection.publisher()
        publisher = try Publisher(configuration, logger: Worker.logger("bench"))
        workload = Workload(models: plan.models)
        // The updates are few enough to stay in the processor's cache, like updates that an application has just made.
        updates = Workload.updates(1_024)
    }

    func run() async throws {
        let link = ParentLink<BenchOrder, BenchReply>()
        try await Worker.untilFirstEnds([
            { try await publisher.run() },
            {
                let serves = publisher.configuration.endpoints != nil
                link.tell(.ready(endpoint: serves ? try await publisher.boundEndpoints.control : ""))
                for await order in link.orders {
                    if case .awaitAcknowledged = order {
                        try await publisher.waitUntilAcknowledged()
                        link.tell(.acknowledged(nanoseconds: MonotonicClock.nanoseconds))
                        continue
                    }
                    if case .streamEndpoint = order {
                        link.tell(.endpoint(try await publisher.boundEndpoints.stream))
                        continue
                    }
                    let reply = try await Blocking.run(named: "bench-load") { try carryOut(order) }
                    link.tell(reply)
                }
            },
        ])
    }

    private func carryOut(_ order: BenchOrder) throws -> BenchReply {
        switch order {
        case .populate: try populate()
        case .generate(let count): generate(count)
        case .publish(let count, let batch, let run): try publish(count, batch: batch, run: run)
        case .publishPaced(let rate, let seconds): try publishPaced(rate, seconds: seconds)
        case .publishSteadily(let rate, let seconds, let textBytes, let tellsSteps):
            .steady(try publishSteadily(rate, seconds: seconds, textBytes: textBytes, tellsSteps: tellsSteps))
        case .makeFields(let count): makeFields(count)
        case .fillMixed: try MixedLoad(models: plan.sizes.mixedModels).fill(publisher)
        case .writeMixed(let rate, let seconds):
            .writtenMixed(try MixedLoad(models: plan.sizes.mixedModels).write(publisher, rate, seconds: seconds))
        case .copy: .copy(Worker.types(publisher.cache))
        case .state: .state(state())
        case .processor: .processor(seconds: ProcessFigures.processorSeconds)
        default: throw BenchError("a publisher does not know the order \(order)")
        }
    }

    private func populate() throws -> BenchReply {
        var numbers = SeededNumbers(seed: 3)
        let start = MonotonicClock.nanoseconds
        for id in workload.ids {
            let fields = Workload.whole(&numbers)
            _ = try publisher.insisting { try publisher.merge(Workload.type, id, fields) }
        }
        return .populated(seconds: seconds(since: start))
    }

    /// The loop of ``publish(_:batch:run:)`` without publishing, which shows what the load itself costs.
    private func generate(_ count: Int) -> BenchReply {
        var load = BenchLoad(ids: workload.ids, updates: updates, seed: 1)
        let (ids, updates) = (workload.ids.span, updates.span)
        var sum = 0
        let start = MonotonicClock.nanoseconds
        for _ in 0..<count {
            let write = load.next()
            sum &+= ids[write.id].utf8.count &+ updates[write.fields].count
        }
        // The sum is used, so that the compiler does not remove the loop.
        return .generated(seconds: sum < 0 ? 0 : seconds(since: start))
    }

    private func publish(_ count: Int, batch: Int, run: Int) throws -> BenchReply {
        var load = BenchLoad(ids: workload.ids, updates: updates, seed: UInt64(run))
        let (ids, updates) = (workload.ids.span, updates.span)
        var published = 0
        var backPressured = 0
        let start = MonotonicClock.nanoseconds
        var (left, untold) = (count, 0)
        while left > 0 {
            let size = min(batch, left)
            (published, backPressured) =
                batch > 1
                ? try publishBatch(&load, ids, updates, size, published, backPressured)
                : try publishOne(&load, ids, updates, published, backPressured)
            left -= size
            untold += size
            guard untold >= BenchPublisher.progressStep else { continue }
            untold = 0
            _ = try publisher.insisting {
                try publisher.merge(Workload.endType, Workload.progressID, ["count": .int(Int64(count - left))])
            }
        }
        _ = try publisher.insisting {
            try publisher.merge(Workload.endType, Workload.endID, ["run": .int(Int64(run))])
        }
        return .published(
            BenchReply.Published(
                startNanoseconds: start, endNanoseconds: MonotonicClock.nanoseconds, count: published,
                backPressured: backPressured))
    }

    @inline(__always)
    private func publishOne(
        _ load: inout BenchLoad, _ ids: Span<String>, _ updates: Span<Fields>, _ published: Int, _ backPressured: Int
    ) throws -> (published: Int, backPressured: Int) {
        let write = load.next()
        var retries = 0
        // The loop stands here, because the closure of `insisting` would be measured, too.
        while true {
            do throws(ModelcastError) {
                let outcome = try publisher.merge(Workload.type, ids[write.id], updates[write.fields])
                return (outcome == .unchanged ? published : published + 1, backPressured + retries)
            } catch {
                guard error.code == .outboxFull else { throw error }
                retries += 1
                Publisher.letOutboxDrain()
            }
        }
    }

    private func publishBatch(
        _ load: inout BenchLoad, _ ids: Span<String>, _ updates: Span<Fields>, _ size: Int, _ published: Int,
        _ backPressured: Int
    ) throws -> (published: Int, backPressured: Int) {
        // Where the outbox is full the repeated batch has other updates, which makes no difference: all are random.
        let (outcome, retries) = try publisher.insisting {
            try publisher.batch { batch in
                for _ in 0..<size {
                    let write = load.next()
                    try batch.merge(Workload.type, ids[write.id], updates[write.fields])
                }
            }
        }
        return (published + outcome.published, backPressured + retries)
    }

    private func publishPaced(_ rate: Double, seconds: Double) throws -> BenchReply {
        var numbers = SeededNumbers(seed: 5)
        let lateness = LatencyHistogram()
        let count = Int(rate * seconds)
        try Pace(rate: rate, start: MonotonicClock.nanoseconds + 10_000_000).forEachDue(count) { due in
            let id = workload.ids[numbers.below(workload.ids.count)]
            let now = MonotonicClock.nanoseconds
            lateness.record(now - due)
            let fields: Fields = ["due_at": .int(Int64(due)), "sent_at": .int(Int64(now))]
            _ = try publisher.insisting { try publisher.merge(Workload.type, id, fields) }
        }
        return .paced(lateness: lateness.summary, count: count)
    }

    private func state() -> BenchReply.State {
        BenchReply.State(
            models: publisher.cache.count(of: Workload.type),
            digest: Digests.text(publisher.cache.digest(of: Workload.type)), isLive: true, appliedUpdates: 0,
            appliedBatches: 0, holesFound: 0, processorSeconds: ProcessFigures.processorSeconds)
    }

    func seconds(since start: UInt64) -> Double { Double(MonotonicClock.nanoseconds - start) / 1e9 }
}
