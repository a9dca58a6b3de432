import Dispatch
import ModelCache
import Synchronization

/// The observers of the canonical load: one of the type and 1,000 of single models, on a queue each kind.
///
/// The queues stand still while a frame is applied, so that every frame meets them in the same state.
final class CountedObservers: Sendable {
    private let queues = [DispatchQueue(label: "bench-type"), DispatchQueue(label: "bench-models")]
    private let observations: [Observation]
    private let tally = Tally()

    private final class Tally: Sendable {
        let ofType = Atomic(0)
        let ofModels = Atomic(0)
    }

    init(_ cache: ModelCache, _ ids: [String]) {
        let tally = tally
        var observations = [
            cache.observe(.type(Workload.type), on: queues[0]) { changes in
                if !changes.isInitial { tally.ofType.add(changes.count, ordering: .relaxed) }
            }
        ]
        for id in ids.prefix(CountedLoad.observedCount) {
            observations.append(
                cache.observe(.model(type: Workload.type, id: id), on: queues[1]) { changes in
                    if !changes.isInitial { tally.ofModels.add(changes.count, ordering: .relaxed) }
                })
        }
        self.observations = observations
        drain()
    }

    /// Nobody is told until ``tell()``.
    func hold() { for queue in queues { queue.suspend() } }

    /// Returns when everybody has been told.
    func tell() {
        for queue in queues { queue.resume() }
        drain()
    }

    private func drain() {
        // A drain that has told its share queues behind this; a frame is far less than a share.
        for queue in queues { queue.sync {} }
    }

    /// - Parameter updates: how many were applied; those of one model in one frame are one change.
    func requireTold(_ updates: Int) throws {
        let (ofType, ofModels) = (tally.ofType.load(ordering: .relaxed), tally.ofModels.load(ordering: .relaxed))
        guard (updates / 2)...updates ~= ofType, (ofType / 4)...ofType ~= ofModels else {
            throw BenchError("of \(updates) updates \(ofType) were told of the type, \(ofModels) of models")
        }
    }
}
