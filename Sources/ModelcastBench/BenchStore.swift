import ModelStore
import Modelcast

/// The process of the measurement that starts from a store, and the writing of that store.
///
/// What a store can do is measured, not what a subscriber makes of it: the file is read and its records are joined.
struct BenchStore: Sendable {
    let path: String

    /// How many records become visible, or are written, in one step.
    private static let stepCount = 4_096

    func run() async throws {
        let link = ParentLink<BenchOrder, BenchReply>()
        link.tell(.ready(endpoint: ""))
        for await order in link.orders {
            guard case .warmStart = order else { throw BenchError("a warm start does not know the order \(order)") }
            link.tell(.warm(try start()))
        }
    }

    private func start() throws -> BenchReply.Warm {
        let begin = MonotonicClock.nanoseconds
        let store = try Store.open(path: path)
        let opened = MonotonicClock.nanoseconds
        let cache = ModelCache()
        var step: [(String, Record)] = []
        step.reserveCapacity(BenchStore.stepCount)
        let join = { (step: [(String, Record)]) in
            _ = cache.commit { commit in for (type, record) in step { commit.join(record, type: type) } }
        }
        try store.forEachRecord { type, record in
            step.append((type, record))
            guard step.count == BenchStore.stepCount else { return }
            join(step)
            step.removeAll(keepingCapacity: true)
        }
        join(step)
        let end = MonotonicClock.nanoseconds
        try store.close()
        return BenchReply.Warm(
            seconds: Double(end - begin) / 1e9, openSeconds: Double(opened - begin) / 1e9,
            models: cache.count(of: Workload.type), digest: Digests.text(cache.digest(of: Workload.type)))
    }

    /// Writes all models of a cache into a new file.
    /// - Returns: how many seconds it took.
    static func write(_ cache: ModelCache, to path: String) throws -> Double {
        let begin = MonotonicClock.nanoseconds
        let store = try Store.open(path: path)
        var changes = StoreChanges()
        for record in cache.snapshot().records(of: Workload.type) {
            changes.upsert(record, type: Workload.type)
            guard changes.records.count == stepCount else { continue }
            try store.write(changes, durably: false)
            changes = StoreChanges()
        }
        try store.write(changes, durably: true)
        try store.close()
        return Double(MonotonicClock.nanoseconds - begin) / 1e9
    }
}
