import Metrics
import ModelCache
import ModelSync

/// Hands the counters of a state machine to swift-metrics, once a second. The metrics are made once and have one
/// dimension, the name; never an id.
struct CounterMetrics {
    private let counters: [(name: ModelSync.Counters.Name, counter: Counter)]
    private var told = ModelSync.Counters()
    private let problems: (source: ModelProblems, counter: Counter)?
    private var toldProblems = 0
    private var nextUpdate: UInt64 = 0

    /// - Parameters:
    ///   - label: the beginning of every metric's name.
    ///   - name: the value of the dimension `name`, which tells publishers or subscribers of one process apart.
    ///   - problems: the problems of models that are read as Swift types; nil where none are read.
    ///   - factory: makes the counters; by default the one of the process.
    init(
        label: String, name: String, problems: ModelProblems? = nil,
        factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.problems = problems.map { problems in
            let label = "\(label)_model_problems_total"
            return (problems, Counter(label: label, dimensions: [("name", name)], factory: factory))
        }
        counters = ModelSync.Counters.Name.allCases.map {
            let label = "\(label)_\($0.label)_total"
            return ($0, Counter(label: label, dimensions: [("name", name)], factory: factory))
        }
    }

    /// Adds the counts since the last update. Does nothing more often than once a second.
    mutating func update(_ current: @autoclosure () -> ModelSync.Counters, now: Moment) {
        guard now.uptimeMicroseconds >= nextUpdate else { return }
        nextUpdate = now.uptimeMicroseconds + 1_000_000
        let current = current()
        for (name, counter) in counters where current[name] > told[name] {
            counter.increment(by: Int64(clamping: current[name] - told[name]))
        }
        told = current
        guard let problems, case let count = problems.source.count, count > toldProblems else { return }
        problems.counter.increment(by: count - toldProblems)
        toldProblems = count
    }
}
