public import Dispatch
public import ModelCache

/// Observations of records on the main actor, and for objects that they do not keep alive.
extension Subscriber {
    /// Tells `handler`, on the main actor, the current state and every later change, like
    /// ``observe(_:evictions:on:_:)``.
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observeOnMainActor(
        _ interest: Interest, evictions: Bool = false, _ handler: @escaping @MainActor (ChangeSet) -> Void
    ) -> CacheObservation {
        observe(interest, evictions: evictions, on: .main) { set in MainActor.assumeIsolated { handler(set) } }
    }

    /// Tells `handler`, on `queue`, the current state and every later change, like ``observe(_:evictions:on:_:)``, for
    /// as long as `owner` lives. The observation does not keep it alive.
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observe<Owner: AnyObject & Sendable>(
        _ interest: Interest, evictions: Bool = false, for owner: Owner, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Owner, ChangeSet) -> Void
    ) -> CacheObservation {
        observe(interest, evictions: evictions, on: queue) { [weak owner] set in
            if let owner { handler(owner, set) }
        }
    }

    /// Tells `handler`, on the main actor, the current state and every later change, like
    /// ``observe(_:evictions:on:_:)``, for as long as `owner` lives. That need not be `Sendable`. The observation does
    /// not keep it alive.
    /// - Returns: the observation, which ends when it is cancelled or released.
    @MainActor
    public func observeOnMainActor<Owner: AnyObject>(
        _ interest: Interest, evictions: Bool = false, for owner: Owner,
        _ handler: @escaping @MainActor (Owner, ChangeSet) -> Void
    ) -> CacheObservation {
        observeOnMainActor(interest, evictions: evictions) { [weak owner] set in if let owner { handler(owner, set) } }
    }
}
