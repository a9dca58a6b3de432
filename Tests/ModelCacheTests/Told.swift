import Dispatch
import ModelCache
import ModelRecord

/// What an observer was told, in order.
final class Told: Sendable {
    private let state = Guarded<[ChangeSet]>([])
    let queue = DispatchQueue(label: "told")

    func hear(_ set: ChangeSet) { state.withLock { $0.append(set) } }

    /// All that was told so far, once everything that is scheduled has been delivered.
    var sets: [ChangeSet] {
        queue.sync {}
        return state.withLock { $0 }
    }

    /// Waits until at least `count` sets were told; the limit is reached only when something is broken.
    func wait(for count: Int, within limit: Duration = .seconds(30)) -> [ChangeSet] {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            let sets = sets
            if sets.count >= count { return sets }
        }
        return sets
    }

    /// As ``sets``, and forgets it.
    func take() -> [ChangeSet] {
        queue.sync {}
        return state.withLock { sets in
            defer { sets = [] }
            return sets
        }
    }
}

extension ModelCache {
    func observe(_ interest: Interest, _ told: Told) -> Observation {
        observe(interest, on: told.queue) { told.hear($0) }
    }
}

extension Change {
    /// What a test compares: id, values before and after, changed fields.
    var summary: String {
        func text(_ record: Record?) -> String {
            guard let record else { return "-" }
            return record.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.intValue ?? -1)" }
                .joined(separator: ",")
        }
        return "\(id): \(text(old)) > \(text(new)) [\(changedFields.joined(separator: ","))]"
    }
}
