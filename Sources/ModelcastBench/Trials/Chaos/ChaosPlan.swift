/// What a publisher of a chaos trial does, each time that it starts.
public struct ChaosPlan: Codable, Sendable {
    /// The random writes.
    public var writes: StressPlan
    /// How often this publisher has been started before.
    public var generation: Int
    /// It keeps its models over a restart.
    public var isDurable: Bool
}
