import Metrics
import ModelSync

/// Hands the counters of a state machine to swift-metrics, once a second. Made once; few dimensions, never an id.
struct CounterMetrics {
    private let counters: [(name: ModelSync.Counters.Name, counter: Counter)]
    private var told = ModelSync.Counters()
    private var nextUpdate: UInt64 = 0

    /// - Parameters:
    ///   - label: the beginning of every metric's name.
    ///   - name: the dimension `name`: which publisher or subscriber of the process.
    ///   - factory: makes the counters; else the one of the process.
    init(label: String, name: String, factory: any MetricsFactory = MetricsSystem.factory) {
        counters = ModelSync.Counters.Name.allCases.map {
            let label = "\(label)_\($0.rawValue)_total"
            return ($0, Counter(label: label, dimensions: [("name", name)], factory: factory))
        }
    }

    /// Adds what has been counted since the last time; at most once a second.
    mutating func update(_ current: @autoclosure () -> ModelSync.Counters, now: Moment) {
        guard now.uptimeMicroseconds >= nextUpdate else { return }
        nextUpdate = now.uptimeMicroseconds + 1_000_000
        let current = current()
        for (name, counter) in counters where current[name] > told[name] {
            counter.increment(by: Int64(clamping: current[name] - told[name]))
        }
        told = current
    }
}
