import Dispatch
import Modelcast
import Synchronization

/// The observers of the canonical load: one of the type on a queue, and 1,000 of a model each on another queue.
final class CanonicalObservers: Sendable {
    static let modelCount = 1_000

    private let subscriber: Subscriber
    private let observations: [CacheObservation]
    private let tally: Tally

    private final class Tally: Sendable {
        let ofModels = Atomic(0)
        let ofType = Mutex(OfType())
    }

    private struct OfType {
        var isPastInitial = false
        var told = BenchReply.Told()
        /// The greatest stamp of the changes that were told.
        var lastStamp: Stamp = 0

        mutating func take(_ changes: ChangeSet) {
            for change in changes {
                if change.isFolded { told.folded += 1 }
                lastStamp = max(lastStamp, change.new?.lastStamp ?? 0)
            }
            if changes.isInitial { isPastInitial = true } else { told.ofType += changes.count }
            told.lastNanoseconds = MonotonicClock.nanoseconds
        }
    }

    init(_ subscriber: Subscriber, _ ids: [String]) {
        let tally = Tally()
        let queue = DispatchQueue(label: "bench-models")
        var observations = [
            subscriber.observe(.type(Workload.type), on: DispatchQueue(label: "bench-type")) { changes in
                tally.ofType.withLock { $0.take(changes) }
            }
        ]
        for id in ids.prefix(CanonicalObservers.modelCount) {
            observations.append(
                subscriber.observe(.model(type: Workload.type, id: id), on: queue) { changes in
                    if !changes.isInitial { tally.ofModels.add(changes.count, ordering: .relaxed) }
                })
        }
        (self.subscriber, self.observations, self.tally) = (subscriber, observations, tally)
    }

    /// Waits until the observer of the type was told everything.
    /// - Returns: how many changes were told since the last call.
    /// - Throws: ``BenchError`` when it was not told everything within a minute.
    func awaitTold() async throws -> BenchReply.Told {
        var last: Stamp = 0
        for record in subscriber.snapshot().records(of: Workload.type) { last = max(last, record.lastStamp) }
        let deadline = ContinuousClock.now + .seconds(60)
        while !tally.ofType.withLock({ $0.isPastInitial && $0.lastStamp >= last }) {
            guard ContinuousClock.now < deadline else {
                throw BenchError("the observer of the type was not told everything within a minute")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        let ofModels = tally.ofModels.exchange(0, ordering: .relaxed)
        return tally.ofType.withLock { ofType in
            defer { ofType.told = BenchReply.Told() }
            ofType.told.ofModels = ofModels
            return ofType.told
        }
    }

    func end() { for observation in observations { observation.cancel() } }
}
