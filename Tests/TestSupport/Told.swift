public import Dispatch
public import ModelCache

/// What an observer was told, in order.
public final class Told: Sendable {
    private let state = Guarded<[ChangeSet]>([])
    public let queue = DispatchQueue(label: "told")

    public init() {}

    public func hear(_ set: ChangeSet) { state.withLock { $0.append(set) } }

    /// All that was told so far, once everything that is scheduled has been delivered.
    public var sets: [ChangeSet] {
        queue.sync {}
        return state.withLock { $0 }
    }

    /// Waits until at least `count` sets were told; the limit is reached only when something is broken.
    public func wait(for count: Int, within limit: Duration = .seconds(30)) -> [ChangeSet] {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            let sets = sets
            if sets.count >= count { return sets }
        }
        return sets
    }

    /// As ``sets``, and forgets it.
    public func take() -> [ChangeSet] {
        queue.sync {}
        return state.withLock { sets in
            defer { sets = [] }
            return sets
        }
    }
}

extension ModelCache {
    public func observe(_ interest: Interest, _ told: Told) -> CacheObservation {
        observe(interest, on: told.queue) { told.hear($0) }
    }
}
