public import Dispatch
public import ModelCache

/// The change sets that an observer was told, in order.
public final class Told: Sendable {
    private let state = Guarded<[ChangeSet]>([])
    /// The queue of the observer.
    public let queue = DispatchQueue(label: "told")

    /// Nothing was told yet.
    public init() {}

    /// Adds a change set. May be called on any thread.
    public func hear(_ set: ChangeSet) { state.withLock { $0.append(set) } }

    /// All change sets so far. Waits first until the queue has run the blocks that are on it.
    public var sets: [ChangeSet] {
        queue.sync {}
        return state.withLock { $0 }
    }

    /// Waits until at least `count` sets were told. The limit is reached only when something is broken.
    /// - Returns: all sets so far; fewer than `count` after the limit.
    public func wait(for count: Int, within limit: Duration = .seconds(30)) -> [ChangeSet] {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            let sets = sets
            if sets.count >= count { return sets }
        }
        return sets
    }

    /// Returns all change sets as ``sets`` does, and forgets them.
    public func take() -> [ChangeSet] {
        queue.sync {}
        return state.withLock { sets in
            defer { sets = [] }
            return sets
        }
    }
}

extension ModelCache {
    /// Observes on the queue of `told`, which receives the changes.
    public func observe(_ interest: Interest, _ told: Told) -> CacheObservation {
        observe(interest, on: told.queue) { told.hear($0) }
    }
}
