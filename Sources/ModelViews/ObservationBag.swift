public import ModelCache

extension CacheObservation: ObservationToken {}
extension ModelProblemObservation: ObservationToken {}

/// Holds observations, and ends all of them when the bag is released or emptied.
///
/// ```swift
/// final class Card {
///     private let observations = ObservationBag()
///     …
///     observations.add(subscriber.models(User.self, id).observe(on: .main) { … })
/// ```
/// The bag may be used from any thread.
public final class ObservationBag: Sendable {
    private let tokens = Guarded<[any ObservationToken]>([])

    /// An empty bag.
    public init() {}

    deinit { removeAll() }

    /// Keeps an observation until ``removeAll()``, or until the bag is released.
    public func add(_ token: any ObservationToken) { tokens.withLock { $0.append(token) } }

    /// Ends all observations and empties the bag.
    public func removeAll() {
        let ended = tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
        for token in ended { token.cancel() }
    }
}
