/// What a histogram holds, for another process.
public struct LatencyRecording: Codable, Hashable, Sendable {
    var nanoseconds: [UInt64]
    /// How many there were of each.
    var counts: [UInt64]
    var summary: LatencySummary
}
