import Dispatch
import ModelCache
import Synchronization

/// Observers of the type on one queue, and of single models on another.
///
/// The queues are suspended while a frame is applied, so that every frame finds them in the same state.
final class CountedObservers: Sendable {
    private let queues = [DispatchQueue(label: "bench-type"), DispatchQueue(label: "bench-models")]
    private let observations: [CacheObservation]
    private let tally = Tally()
    private let isTypeObserved: Bool

    private final class Tally: Sendable {
        let ofType = Atomic(0)
        let ofModels = Atomic(0)
        let calls = Atomic(0)

        func take(_ changes: ChangeSet, _ count: borrowing Atomic<Int>) {
            calls.add(1, ordering: .relaxed)
            if !changes.isInitial { count.add(changes.count, ordering: .relaxed) }
        }
    }

    /// - Parameters:
    ///   - ids: the ids of the models that have an observer each.
    ///   - isTypeObserved: the type has an observer, too.
    init(_ cache: ModelCache, _ ids: some Sequence<String>, isTypeObserved: Bool) {
        let tally = tally
        var observations: [CacheObservation] = []
        if isTypeObserved {
            observations.append(
                cache.observe(.type(Workload.type), on: queues[0]) { tally.take($0, tally.ofType) })
        }
        for id in ids {
            observations.append(
                cache.observe(.model(type: Workload.type, id: id), on: queues[1]) { tally.take($0, tally.ofModels) })
        }
        self.observations = observations
        self.isTypeObserved = isTypeObserved
        drain()
    }

    /// Suspends the queues until ``tell()``.
    func hold() { for queue in queues { queue.suspend() } }

    /// Resumes the queues, and returns when all observers have been told everything.
    func tell() {
        for queue in queues { queue.resume() }
        drain()
    }

    /// Waits until the queues have nothing more to tell. A turn of the cache tells its share and queues the next turn
    /// behind this block, so the wait is repeated until no handler was called.
    private func drain() {
        var told = -1
        while case let calls = tally.calls.load(ordering: .relaxed), told != calls {
            told = calls
            for queue in queues { queue.sync {} }
        }
    }

    /// Checks that about as many changes were told as expected.
    /// - Parameters:
    ///   - updates: how many updates were applied; those of one model in one frame are one change.
    ///   - share: the share of models that are observed.
    /// - Throws: ``BenchError`` when far more or fewer were told.
    func requireTold(_ updates: Int, share: Double) throws {
        let (ofType, ofModels) = (tally.ofType.load(ordering: .relaxed), tally.ofModels.load(ordering: .relaxed))
        let expected = Int(Double(updates) * share)
        let isTypeTold = !isTypeObserved || (updates / 2)...updates ~= ofType
        guard isTypeTold, (expected / 2)...(expected + expected / 4) ~= ofModels else {
            throw BenchError("of \(updates) updates \(ofType) were told of the type, \(ofModels) of models")
        }
    }
}
