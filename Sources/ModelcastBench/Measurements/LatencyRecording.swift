/// The contents of a histogram, in a form for another process.
public struct LatencyRecording: Codable, Hashable, Sendable {
    /// The values of the histogram's steps.
    var nanoseconds: [UInt64]
    /// How many latencies each step has.
    var counts: [UInt64]
    var summary: LatencySummary
}
