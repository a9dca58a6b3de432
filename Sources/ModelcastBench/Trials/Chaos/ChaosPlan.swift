/// The writes of a publisher in a chaos trial, for one start.
public struct ChaosPlan: Codable, Sendable {
    /// The random writes.
    public var writes: StressPlan
    /// How often this publisher has been started before.
    public var generation: Int
    /// Whether the publisher keeps its models over a restart.
    public var isDurable: Bool
}
