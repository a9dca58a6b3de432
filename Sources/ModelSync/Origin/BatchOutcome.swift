/// What became of a batch of writes.
public struct BatchOutcome: Hashable, Sendable {
    /// Writes that are on their way.
    public var published = 0
    /// Writes that changed nothing and were not sent.
    public var unchanged = 0

    public init() {}
}
