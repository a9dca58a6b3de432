public import Dispatch
public import ModelCache

/// Observations on the main actor, and for objects that they do not keep alive.
extension Models {
    /// Tells `handler`, on the main actor, the current state and every later change.
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observeOnMainActor(_ handler: @escaping @MainActor ([ModelChange<M>]) -> Void) -> CacheObservation {
        observe(on: .main) { changes in MainActor.assumeIsolated { handler(changes) } }
    }

    /// Tells `handler`, on `queue`, the current state and every later change, for as long as `owner` lives. The
    /// observation does not keep it alive.
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observe<Owner: AnyObject & Sendable>(
        for owner: Owner, on queue: DispatchQueue, _ handler: @escaping @Sendable (Owner, [ModelChange<M>]) -> Void
    ) -> CacheObservation {
        observe(on: queue) { [weak owner] changes in if let owner { handler(owner, changes) } }
    }

    /// Tells `handler`, on the main actor, the current state and every later change, for as long as `owner` lives. That
    /// need not be `Sendable`. The observation does not keep it alive.
    /// - Returns: the observation, which ends when it is cancelled or released.
    @MainActor
    public func observeOnMainActor<Owner: AnyObject>(
        for owner: Owner, _ handler: @escaping @MainActor (Owner, [ModelChange<M>]) -> Void
    ) -> CacheObservation {
        observeOnMainActor { [weak owner] changes in if let owner { handler(owner, changes) } }
    }
}
