import Dispatch
import Modelcast
import Synchronization

/// All readers of a cache at once: three kinds of observers, four queues that read, and one that takes snapshots.
final class MixedReaders: Sendable {
    private let cache: ModelCache
    private let models: Int
    private let begin = MonotonicClock.nanoseconds
    private let isOver = Flag()
    private let group = DispatchGroup()
    private let latency = LatencyHistogram()
    private let observations = Mutex<[CacheObservation]>([])
    private let reads = Atomic(0)
    private let found = Atomic(0)
    private let snapshots = Atomic(0)
    private let pairs = Atomic(0)
    private let tornPairs = Atomic(0)
    private let changes = Atomic(0)
    private let typeChanges = Atomic(0)
    private let modelChanges = Atomic(0)
    private let folded = Atomic(0)

    private static let queueCount = 4
    private static let observedModels = 100
    /// How many reads a queue makes, and how many pairs of a snapshot are compared, in a millisecond.
    private static let readCount = 100
    private static let pairCount = 16

    /// - Parameter models: how many models each type has.
    init(_ cache: ModelCache, models: Int) {
        self.cache = cache
        self.models = models
    }

    func start() {
        observe()
        for number in 0..<MixedReaders.queueCount {
            DispatchQueue(label: "bench-reader-\(number)").async(group: group) { self.read(seed: UInt64(number)) }
        }
        DispatchQueue(label: "bench-snapshots").async(group: group) { self.takeSnapshots() }
    }

    /// Ends all readers, and tells what they counted.
    /// - Throws: ``BenchError`` when a snapshot had half a transaction.
    func end() throws -> MixedFigures {
        isOver.set()
        group.wait()
        for observation in observations.withLock({ exchange(&$0, with: []) }) { observation.cancel() }
        let torn = tornPairs.load(ordering: .relaxed)
        guard torn == 0 else { throw BenchError("\(torn) snapshots had half a transaction; no figure counts") }
        return MixedFigures(
            seconds: Double(MonotonicClock.nanoseconds - begin) / 1e9, reads: reads.load(ordering: .relaxed),
            found: found.load(ordering: .relaxed), snapshots: snapshots.load(ordering: .relaxed),
            pairs: pairs.load(ordering: .relaxed), changes: changes.load(ordering: .relaxed),
            typeChanges: typeChanges.load(ordering: .relaxed), modelChanges: modelChanges.load(ordering: .relaxed),
            folded: folded.load(ordering: .relaxed), latency: latency.summary)
    }

    private func observe() {
        let all = cache.observe(.everything, on: DispatchQueue(label: "bench-everything")) { [self] in takeAll($0) }
        let type = cache.observe(.type(MixedLoad.order), on: DispatchQueue(label: "bench-type")) { [self] changes in
            if !changes.isInitial { typeChanges.add(changes.count, ordering: .relaxed) }
        }
        let queue = DispatchQueue(label: "bench-models")
        let ids = (0..<min(models, MixedReaders.observedModels)).map { MixedLoad.id($0) }
        let single = ids.map { id in
            cache.observe(.model(type: MixedLoad.quote, id: id), on: queue) { [self] changes in
                if !changes.isInitial { modelChanges.add(changes.count, ordering: .relaxed) }
            }
        }
        observations.withLock { $0 = [all, type] + single }
    }

    private func takeAll(_ set: ChangeSet) {
        guard !set.isInitial else { return }
        let now = MonotonicClock.nanoseconds
        changes.add(set.count, ordering: .relaxed)
        for change in set {
            if change.isFolded { folded.add(1, ordering: .relaxed) }
            guard let due = change.new?["due_at"]?.intValue, due > 0 else { continue }
            latency.record(now &- UInt64(due))
        }
    }

    private func read(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let ids = (0..<models).map { MixedLoad.id($0) }
        eachMillisecond {
            var found = 0
            for _ in 0..<MixedReaders.readCount {
                let type = MixedLoad.types[numbers.below(MixedLoad.types.count)]
                if cache[type, ids[numbers.below(models)]] != nil { found += 1 }
            }
            reads.add(MixedReaders.readCount, ordering: .relaxed)
            self.found.add(found, ordering: .relaxed)
        }
    }

    private func takeSnapshots() {
        var numbers = SeededNumbers(seed: 51)
        eachMillisecond {
            let snapshot = cache.snapshot()
            var torn = false
            for _ in 0..<MixedReaders.pairCount {
                let id = MixedLoad.id(numbers.below(models))
                let account = snapshot[MixedLoad.account, id]?["total"]?.intValue
                let position = snapshot[MixedLoad.position, id]?["total"]?.intValue
                if account != position { torn = true }
            }
            if torn { tornPairs.add(1, ordering: .relaxed) }
            pairs.add(MixedReaders.pairCount, ordering: .relaxed)
            snapshots.add(1, ordering: .relaxed)
        }
    }

    private func eachMillisecond(_ body: () -> Void) {
        var due = MonotonicClock.nanoseconds
        while !isOver.isSet {
            body()
            due = max(due + 1_000_000, MonotonicClock.nanoseconds)
            MonotonicClock.sleep(until: due)
        }
    }
}

extension BenchSubscriber {
    func beginMixed() async throws -> BenchReply {
        let readers = MixedReaders(subscriber.cache, models: MixedLoad(models: plan.sizes.mixedModels).count)
        mixed = readers
        readers.start()
        return .mixing
    }

    func endMixed() async throws -> MixedFigures {
        guard let readers = mixed else { throw BenchError("nothing reads everything") }
        mixed = nil
        return try await Blocking.run(named: "bench-end") { try readers.end() }
    }
}
