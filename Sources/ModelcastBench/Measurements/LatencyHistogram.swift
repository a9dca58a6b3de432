import Histogram
import Synchronization

/// Latencies in nanoseconds, recorded from any thread; three digits are kept (HdrHistogram).
final class LatencyHistogram: Sendable {
    private let histogram = Mutex(Histogram<UInt64>(highestTrackableValue: 60_000_000_000))

    /// Takes note of one; past a minute counts as a minute.
    func record(_ nanoseconds: UInt64) {
        histogram.withLock { _ = $0.record(min(max(nanoseconds, 1), 60_000_000_000)) }
    }

    /// What has been recorded so far.
    var summary: LatencySummary {
        histogram.withLock { histogram in
            LatencySummary(
                count: histogram.totalCount, median: microseconds(histogram.valueAtPercentile(50)),
                percentile99: microseconds(histogram.valueAtPercentile(99)),
                percentile999: microseconds(histogram.valueAtPercentile(99.9)),
                maximum: microseconds(histogram.totalCount == 0 ? 0 : histogram.max))
        }
    }

    private func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1000 }
}

/// Latencies in microseconds.
public struct LatencySummary: Codable, Hashable, Sendable {
    /// How many were measured.
    public var count: UInt64
    public var median: Double
    public var percentile99: Double
    public var percentile999: Double
    public var maximum: Double
}
