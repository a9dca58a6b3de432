@_spi(CacheWriting) import ModelCache
import ModelRecord
import Modelcast
import Synchronization
import TestSupport
import Testing

/// A publisher and a subscriber in one process, over sockets, both used from many threads.
@Suite(.timeLimit(.minutes(15)))
struct PairStressTests {
    @Test func `a subscriber shows what was written in its order, transactions as a whole, and ends equal`() async {
        await StressRun.play("pair") { seed in
            // Small, so that it is full at times.
            let publisher = try Stage.publisher(outboxByteCount: 400)
            publisher.cache.startJournal()
            return try await Stage.serving(publisher) { subscriber in
                let crew = PairCrew(seed: seed, publisher, subscriber)
                await Crew.run(crew.clients, count: StressRun.share(of: crew.clients.count))
                try await Stage.becomeEqual(publisher, subscriber)
                let count = try await crew.check(publisher, subscriber)
                let refused = crew.writers.reduce(0) { $0 + $1.refusedCount }
                print("ThreadSafetyTests: pair: \(refused) writes found the outbox full")
                return count
            }
        }
    }

    @Test func `a stop in the middle of writes lets each be done and sent, or refused as stopped`() async {
        await StressRun.play("stop") { seed in
            let directory = try TemporaryDirectory()
            let endpoint = "ipc://\(directory.path("control"))"
            let publisher = try Stage.publisher(control: endpoint)
            publisher.cache.startJournal()
            let subscriber = try Stage.subscriber(of: endpoint)
            return try await Stage.running(subscriber) {
                let crew = PairCrew(seed: seed, publisher, subscriber)
                let run = Task { try await publisher.run() }
                let share = StressRun.share(of: crew.clients.count)
                try await subscriber.waitUntilLive()
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await Crew.run(crew.clients, count: share) }
                    group.addTask {
                        let half = crew.writers.count * share / 2
                        _ = await eventually(within: .seconds(300)) { Stage.operationCount(crew.writers) >= half }
                        run.cancel()
                    }
                }
                try await run.value
                await Crew.run(crew.writers, count: 20)
                do {
                    try publisher.merge("Item", "0", ["a": 1])
                    throw CaseFailure("a stopped publisher takes writes")
                } catch let error as ModelcastError where error.code == .stopped {}
                guard crew.writers.contains(where: { $0.stoppedCount > 0 }) else {
                    throw CaseFailure("no write was refused")
                }
                // What was taken before the stop has been sent.
                try await Stage.becomeEqual(publisher, subscriber)
                return try await crew.check(publisher, subscriber)
            }
        }
    }

    @Test func `runs that are cancelled at any moment end, and tell those who wait`() async {
        await StressRun.play("short runs") { seed in
            var random = SeededGenerator(seed: seed)
            var count = 0
            for _ in 0..<max(StressRun.operationCount / 800, 1) {
                let publisher = try Stage.publisher()
                let endpoint = Task { try await publisher.boundEndpoints.control }
                let run = Task { try await publisher.run() }
                let subscriber = try Stage.subscriber(of: try await endpoint.value)
                let listening = Task { try await subscriber.run() }
                let waiting = (0..<3).map { _ in Task { try await subscriber.waitUntilLive() } }
                let writes = Int.random(in: 0..<200, using: &random)
                let writing = Task.detached {
                    for number in 0..<200 {
                        // The second half meets the end of the run, or the time after it.
                        if number == writes { run.cancel() }
                        do {
                            try publisher.merge("Item", "\(number % 7)", ["a": .int(Int64(number))])
                        } catch let error as ModelcastError where error.code == .stopped {}
                    }
                }
                try await writing.value
                try await run.value
                listening.cancel()
                try await listening.value
                for task in waiting {
                    do {
                        try await task.value
                    } catch let error as ModelcastError where error.code == .stopped {}
                }
                count += 200
            }
            return count
        }
    }
}

/// Those who write to the publisher, who read the subscriber, and who observe that.
private struct PairCrew {
    let writers: [PublisherClient]
    private let readers: [SubscriberClient]
    private let audience: ObserverClient
    private let status: StatusClient

    init(seed: UInt64, _ publisher: Publisher, _ subscriber: Subscriber) {
        let clock = HistoryClock()
        writers = (0..<5).map { PublisherClient($0, seed: seed, publisher, clock) }
        readers = (5..<7).map { number in
            SubscriberClient(number, seed: seed, subscriber, clock)
        }
        audience = ObserverClient(7, seed: seed, subscriber.cache, gate: Gate(), watcherMax: 20)
        status = StatusClient(publisher, subscriber)
    }

    var clients: [any StressClient] { writers + readers + [audience, status] }

    /// - Returns: how many operations there were.
    func check(_ publisher: Publisher, _ subscriber: Subscriber) async throws -> Int {
        let reads = readers.flatMap { $0.end() }
        print("ThreadSafetyTests: pair: \(reads.count { $0.mayLack }) of \(reads.count) reads may lack writes")
        try Stage.check(writers, publisher, replicaReads: reads)
        let models = SnapshotClient.models(of: subscriber.snapshot())
        for watcher in audience.watchers {
            let told = await Stage.chain(models, watcher.interest, { watcher.told }, { watcher.isEnded })
            if let fault = watcher.faults.first ?? told { throw CaseFailure(fault) }
            watcher.endElsewhere()
        }
        for listener in audience.listeners {
            let told = await Stage.chain(models, listener.interest, { listener.told }, { listener.isEnded })
            if let told { throw CaseFailure(told) }
            listener.cancel()
            await listener.waitForEnd()
        }
        let witnesses = audience.witnesses
        guard await eventually({ witnesses.allSatisfy(\.isGone) }) else {
            throw CaseFailure("\(witnesses.count { !$0.isGone }) of \(witnesses.count) handlers are still held")
        }
        return Stage.operationCount(writers) + reads.count
    }
}

/// Asks publisher and subscriber how they are.
private final class StatusClient: StressClient {
    private let publisher: Publisher
    private let subscriber: Subscriber
    private let count = Atomic<Int>(0)

    init(_ publisher: Publisher, _ subscriber: Subscriber) {
        self.publisher = publisher
        self.subscriber = subscriber
    }

    func step() {
        switch count.add(1, ordering: .relaxed).oldValue % 6 {
        case 0: _ = publisher.status
        case 1: _ = publisher.audience
        case 2: _ = subscriber.status.isLive
        case 3: _ = publisher.cache.types
        case 4: _ = subscriber.cache.bucketDigests(of: "Item")
        default: _ = subscriber.cache.tombstoneCount(of: "Other")
        }
    }
}
