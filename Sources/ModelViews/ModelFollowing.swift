public import Dispatch
import ModelCache
import ModelRecord
public import ModelTypes

extension Models {
    /// Calls `handler` with a model and the models that it refers to, whenever any of them changes.
    ///
    /// ```swift
    /// let message = cache.models(Message.self, id)
    /// let token = message.observe(following: { [$0.author] }, on: queue) { show($0.model, by: $0.references) }
    /// ```
    /// All models of a call are of one cut: never a message of one commit with the author of another. References are
    /// followed one level deep: those of the author are not followed. The first call has the current state; without a
    /// model there is no first call. Changes of one commit cause one call, and a slow handler gets the newest state
    /// only. A model that no longer meets the condition counts as gone.
    ///
    /// - Parameters:
    ///   - references: the references of a model to follow; must be the same for the same model.
    ///   - queue: a serial queue, on which both closures are called.
    ///   - handler: called with the model and those it refers to.
    /// - Returns: the registration, which ends when it is cancelled or released.
    public func observe<Other: Model>(
        following references: @escaping @Sendable (M) -> [Reference<Other>], on queue: DispatchQueue,
        _ handler: @escaping @Sendable (ModelAndReferences<M, Other>) -> Void
    ) -> ModelFollowing {
        let follower = Follower(models: self, references: references, queue: queue, handler: handler)
        let own = observe(on: queue) { [weak follower] changes in
            for change in changes { follower?.look(at: change.id) }
        }
        return ModelFollowing(follower, own)
    }
}

/// A registration that lasts until it is cancelled or released.
public final class ModelFollowing: ObservationToken {
    private let follower: any ReferenceFollower
    private let own: CacheObservation

    fileprivate init(_ follower: any ReferenceFollower, _ own: CacheObservation) {
        (self.follower, self.own) = (follower, own)
    }

    deinit { cancel() }

    /// Ends the registration. After a call on the delivery queue, no call of the handler begins.
    public func cancel() {
        own.cancel()
        follower.end()
    }
}

private protocol ReferenceFollower: AnyObject, Sendable {
    func end()
}

/// Keeps an observation for each model that the followed ones refer to.
private final class Follower<M: Model, Other: Model>: ReferenceFollower {
    private struct Followed {
        var observations: [Other.ID: CacheObservation] = [:]
        var told: ModelAndReferences<M, Other>
    }

    private struct State {
        var followed: [M.ID: Followed] = [:]
        var isEnded = false
    }

    private let models: Models<M>
    private let references: @Sendable (M) -> [Reference<Other>]
    private let queue: DispatchQueue
    private let handler: @Sendable (ModelAndReferences<M, Other>) -> Void
    private let state = Guarded(State())

    init(
        models: Models<M>, references: @escaping @Sendable (M) -> [Reference<Other>], queue: DispatchQueue,
        handler: @escaping @Sendable (ModelAndReferences<M, Other>) -> Void
    ) {
        (self.models, self.references, self.queue, self.handler) = (models, references, queue, handler)
    }

    /// Reads a model and its references again, after any of them may have changed. Called on the queue.
    func look(at id: M.ID) {
        let snapshot = models.cache.snapshot()
        let model = models.admitted(snapshot.state(of: M.self, id))
        let wanted = model.map(references) ?? []
        let now = ModelAndReferences(id: id, model: model, references: wanted.compactMap { snapshot[lastGood: $0] })
        let ids = Set(wanted.map(\.id))
        let known = state.withLock { Set($0.followed[id]?.observations.keys ?? [:].keys) }
        let added = ids.subtracting(known).map { other in (other, observation(of: other, for: id)) }
        let (isNews, ended) = state.withLock { state -> (Bool, [CacheObservation]) in
            guard !state.isEnded else { return (false, added.map(\.1)) }
            var followed =
                state.followed[id]
                ?? Followed(told: ModelAndReferences(id: id, model: nil, references: []))
            let gone = known.subtracting(ids).compactMap { followed.observations.removeValue(forKey: $0) }
            for (other, observation) in added { followed.observations[other] = observation }
            let isNews = followed.told != now
            followed.told = now
            state.followed[id] = model == nil ? nil : followed
            return (isNews, gone)
        }
        for observation in ended { observation.cancel() }
        if isNews { handler(now) }
        // The new registrations do not tell of changes between the snapshot and now: they say nothing of a model that
        // went. So the model is read once more.
        if !added.isEmpty { queue.async { [weak self] in self?.look(at: id) } }
    }

    private func observation(of other: Other.ID, for id: M.ID) -> CacheObservation {
        models.cache.models(Other.self, other).observe(on: queue) { [weak self] _ in self?.look(at: id) }
    }

    func end() {
        let ended = state.withLock { state in
            state.isEnded = true
            defer { state.followed = [:] }
            return state.followed.values.flatMap { $0.observations.values }
        }
        for observation in ended { observation.cancel() }
    }
}
