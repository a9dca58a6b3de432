/// A summary of latencies, in microseconds.
public struct LatencySummary: Codable, Hashable, Sendable {
    /// How many latencies were measured.
    public var count: UInt64
    /// The median.
    public var median: Double
    /// The 99th percentile.
    public var percentile99: Double
    /// The 99.9th percentile.
    public var percentile999: Double
    /// The greatest latency.
    public var maximum: Double
}
