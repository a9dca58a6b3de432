/// Latencies in microseconds.
public struct LatencySummary: Codable, Hashable, Sendable {
    /// How many were measured.
    public var count: UInt64
    public var median: Double
    public var percentile99: Double
    public var percentile999: Double
    public var maximum: Double
}
