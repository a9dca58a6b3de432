/// The outcome of a batch of writes.
public struct BatchOutcome: Hashable, Sendable {
    /// Writes that were merged and are on their way.
    public var published = 0
    /// Writes that changed nothing and were not sent.
    public var unchanged = 0

    /// No writes yet.
    public init() {}
}
