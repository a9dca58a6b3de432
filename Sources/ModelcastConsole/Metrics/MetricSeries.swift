import CoreMetrics
import Synchronization

/// A number that only grows.
final class CounterSeries: CounterHandler, FloatingPointCounterHandler {
    private let sum = Mutex(0.0)

    var value: Double { sum.withLock { $0 } }

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    /// Negative amounts are none: a counter that sinks would look like a process that has started again.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        sum.withLock { $0 += amount }
    }

    func reset() { sum.withLock { $0 = 0 } }
}

/// A number that rises and falls.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let last = Mutex(0.0)

    var value: Double { last.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { last.withLock { $0 = value } }
    func increment(by amount: Double) { last.withLock { $0 += amount } }
    func decrement(by amount: Double) { last.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// How often numbers fell into each of some ranges.
final class HistogramSeries: RecorderHandler, TimerHandler {
    private struct State {
        /// By range; the last one has no upper bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    /// The upper bounds of the ranges but the last, ascending.
    let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: [UInt64](repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let range = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[range] += 1
            $0.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    /// The samples of a scrape: each range with all below it, their sum and their number.
    func samples(_ labels: [MetricLabel]) -> [MetricFamily.Sample] {
        let state = state.withLock { $0 }
        var count: UInt64 = 0
        var samples: [MetricFamily.Sample] = []
        for (bound, inRange) in zip(bounds + [.infinity], state.counts) {
            count += inRange
            let label = MetricLabel("le", bound.isInfinite ? "+Inf" : "\(bound)")
            samples.append(
                MetricFamily.Sample(suffix: "_bucket", labels: labels + [label], value: Double(count)))
        }
        samples.append(MetricFamily.Sample(suffix: "_sum", labels: labels, value: state.sum))
        samples.append(MetricFamily.Sample(suffix: "_count", labels: labels, value: Double(count)))
        return samples
    }
}
