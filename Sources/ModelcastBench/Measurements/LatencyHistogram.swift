import Histogram
import Synchronization

/// Latencies in nanoseconds, recorded from any thread; three digits are kept (HdrHistogram).
final class LatencyHistogram: Sendable {
    private let histogram = Mutex(Histogram<UInt64>(highestTrackableValue: 60_000_000_000))

    /// Records one latency. A latency above a minute counts as a minute.
    func record(_ nanoseconds: UInt64) {
        histogram.withLock { _ = $0.record(min(max(nanoseconds, 1), 60_000_000_000)) }
    }

    /// Adds the latencies of another recording.
    func add(_ recording: LatencyRecording) {
        histogram.withLock { histogram in
            for (value, count) in zip(recording.nanoseconds, recording.counts) {
                _ = histogram.record(value, count: count)
            }
        }
    }

    /// The summary of the latencies so far.
    var summary: LatencySummary {
        histogram.withLock { histogram in
            LatencySummary(
                count: histogram.totalCount, median: microseconds(histogram.valueAtPercentile(50)),
                percentile99: microseconds(histogram.valueAtPercentile(99)),
                percentile999: microseconds(histogram.valueAtPercentile(99.9)),
                maximum: microseconds(histogram.totalCount == 0 ? 0 : histogram.max))
        }
    }

    /// The latencies so far, in a form for another process.
    var recording: LatencyRecording {
        let summary = summary
        return histogram.withLock { histogram in
            var recording = LatencyRecording(nanoseconds: [], counts: [], summary: summary)
            for step in histogram.recordedValues() {
                // A step has its greatest value, which for the last step may be above the greatest latency.
                recording.nanoseconds.append(min(step.value, histogram.maxRecorded))
                recording.counts.append(step.count)
            }
            return recording
        }
    }

    /// Percentiles from 0 to 99.999 and their microseconds, with ten points for each factor of ten in the share that
    /// remains.
    var percentileCurve: [BenchCurve.Point] {
        histogram.withLock { histogram in
            guard histogram.totalCount > 0 else { return [] }
            return (0...50).map { step in
                var left = 100.0
                for _ in 0..<step { left /= 1.258925411794167 }
                return BenchCurve.Point(100 - left, microseconds(histogram.valueAtPercentile(100 - left)))
            }
        }
    }

    private func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1000 }
}
