public import CoreMetrics
import ModelSync
import Synchronization

/// A backend for swift-metrics whose numbers a ``Console`` shows at `/metrics`.
///
/// ```swift
/// let metrics = PrometheusMetrics()
/// MetricsSystem.bootstrap(metrics)
/// let console = Console(
///     try ConsoleConfiguration("127.0.0.1:9464"), of: [.subscriber(subscriber)], metrics: metrics, logger: logger)
/// ```
/// Counters become counters, meters and recorders that do not aggregate gauges, timers and the other recorders
/// histograms; timers in seconds. Characters that Prometheus does not allow in names become `_`. Any thread may use it.
///
/// - Note: At most 10,000 series are kept; what is made after that is counted in `modelcast_metrics_left_out` and goes
///   nowhere, so that an id that somebody has put into a dimension does not take all memory.
public final class PrometheusMetrics: MetricsFactory, Sendable {
    private struct Key: Hashable, Comparable {
        let name: String
        let labels: [MetricLabel]

        static func < (lhs: Self, rhs: Self) -> Bool {
            lhs.name == rhs.name ? lhs.labels.lexicographicallyPrecedes(rhs.labels) : lhs.name < rhs.name
        }
    }

    private enum Series {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)

        var kind: MetricFamily.Kind {
            switch self {
            case .counter: .counter
            case .gauge: .gauge
            case .histogram: .histogram
            }
        }
    }

    private struct State {
        var series: [Key: Series] = [:]
        /// The kind of each name's series: one name is of one kind.
        var kinds: [String: MetricFamily.Kind] = [:]
        var leftOutCount = 0
    }

    private let state = Mutex(State())
    private let seriesCountMax: Int

    /// The upper bounds of histograms of times, in seconds: from a tenth of a millisecond to five minutes.
    static let seconds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ]
    /// The upper bounds of histograms of other numbers.
    static let amounts: [Double] = [
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576,
    ]

    /// A backend without series.
    public convenience init() { self.init(seriesCountMax: 10_000) }

    init(seriesCountMax: Int) { self.seriesCountMax = seriesCountMax }

    /// The counter of a label and dimensions; the same for the same.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counter(label, dimensions)
    }

    /// The counter of a label and dimensions; the same for the same.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label, dimensions)
    }

    /// The gauge of a label and dimensions; the same for the same.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// A histogram, or where the recorder does not aggregate a gauge.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return gauge(label, dimensions) }
        return histogram(label, dimensions, PrometheusMetrics.amounts)
    }

    /// A histogram of seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions, PrometheusMetrics.seconds)
    }

    /// Takes the counter out of scrapes.
    public func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }
    /// Takes the counter out of scrapes.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { destroy(handler) }
    /// Takes the gauge out of scrapes.
    public func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }
    /// Takes the histogram or gauge out of scrapes.
    public func destroyRecorder(_ handler: any RecorderHandler) { destroy(handler) }
    /// Takes the histogram out of scrapes.
    public func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> CounterSeries {
        // All names of counters end so in a scrape, whether the program says it or not.
        let name = label.hasSuffix("_total") ? String(label.dropLast(6)) : label
        let made = CounterSeries()
        if case .counter(let known) = series(name, dimensions, .counter(made)) { return known }
        return made
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries {
        let made = GaugeSeries()
        if case .gauge(let known) = series(label, dimensions, .gauge(made)) { return known }
        return made
    }

    private func histogram(
        _ label: String, _ dimensions: [(String, String)], _ bounds: [Double]
    ) -> HistogramSeries {
        let made = HistogramSeries(bounds: bounds)
        if case .histogram(let known) = series(label, dimensions, .histogram(made)) { return known }
        return made
    }

    /// The series that there is, or else this one, which is kept from now on.
    private func series(_ label: String, _ dimensions: [(String, String)], _ made: Series) -> Series {
        let labels = dimensions.map { MetricLabel(PrometheusMetrics.name($0.0, allowsColon: false), $0.1) }
        let key = Key(name: PrometheusMetrics.name(label, allowsColon: true), labels: labels.sorted())
        return state.withLock { state in
            if let known = state.series[key] { return known }
            guard state.series.count < seriesCountMax, state.kinds[key.name] ?? made.kind == made.kind,
                Set(labels.map(\.name)).count == labels.count
            else {
                state.leftOutCount += 1
                return made
            }
            state.series[key] = made
            state.kinds[key.name] = made.kind
            return made
        }
    }

    private func destroy(_ handler: AnyObject) {
        state.withLock { state in
            state.series = state.series.filter { _, series in
                switch series {
                case .counter(let counter): counter !== handler
                case .gauge(let gauge): gauge !== handler
                case .histogram(let histogram): histogram !== handler
                }
            }
        }
    }

    /// A name that Prometheus allows.
    private static func name(_ text: String, allowsColon: Bool) -> String {
        let name = text.unicodeScalars.map { scalar -> Character in
            let isAllowed =
                scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                || scalar == "_" || (allowsColon && scalar == ":")
            return isAllowed ? Character(scalar) : "_"
        }
        return name.first?.isNumber ?? true ? "_" + String(name) : String(name)
    }

    /// The families that a scrape shows now, by name.
    var families: [MetricFamily] {
        let (series, leftOutCount) = state.withLock { ($0.series, $0.leftOutCount) }
        var families: [String: MetricFamily] = [:]
        for (key, series) in series.sorted(by: { $0.key < $1.key }) {
            var family =
                families[key.name]
                ?? MetricFamily(name: key.name, kind: series.kind, help: PrometheusMetrics.help(key.name))
            switch series {
            case .counter(let counter): family.add(counter.value, key.labels)
            case .gauge(let gauge): family.add(gauge.value, key.labels)
            case .histogram(let histogram): family.samples += histogram.samples(key.labels)
            }
            families[key.name] = family
        }
        var leftOut = MetricFamily(
            name: "modelcast_metrics_left_out", kind: .gauge,
            help: "Series that are not shown, because there are too many or their names contradict each other.")
        leftOut.add(Double(leftOutCount))
        return families.values.sorted { $0.name < $1.name } + [leftOut]
    }

    /// The help text of a counter of Modelcast; of any other metric only what its name says.
    private static func help(_ name: String) -> String {
        for side in ["modelcast_relay_replica_", "modelcast_relay_", "modelcast_publisher_", "modelcast_subscriber_"]
        where name.hasPrefix(side) {
            return explanations[String(name.dropFirst(side.count))] ?? "No description."
        }
        return "No description."
    }

    private static let explanations: [String: String] = {
        var explanations = Dictionary(
            uniqueKeysWithValues: ModelSync.Counters.Name.allCases.map { ($0.label, $0.explanation) })
        explanations["model_problems"] = "Models that could not be read as the Swift types of this process."
        return explanations
    }()
}
