public import ModelCache

/// Holds observations, and ends them all when it is released or emptied.
///
/// ```swift
/// final class Card {
///     private let observations = ObservationBag()
///     …
///     observations.add(subscriber.models(User.self, id).observe(on: .main) { … })
/// ```
/// From any thread.
public final class ObservationBag: Sendable {
    private let observations = Guarded<[Observation]>([])

    public init() {}

    deinit { removeAll() }

    /// Keeps an observation until ``removeAll()``, or until the bag is released.
    public func add(_ observation: Observation) { observations.withLock { $0.append(observation) } }

    /// Ends all of them.
    public func removeAll() {
        let ended = observations.withLock { observations in
            defer { observations = [] }
            return observations
        }
        for observation in ended { observation.cancel() }
    }
}
