/// The text of a scrape: Prometheus 0.0.4, or OpenMetrics 1.0.0.
struct MetricsText {
    /// The form of the text, by what the reader accepts.
    enum Form {
        case prometheus
        case openMetrics

        /// The form for a reader's `Accept` header: OpenMetrics where it is named, and not with `q=0`.
        init(accept: String?) {
            let types = (accept ?? "").split(separator: ",").map { $0.lowercased().filter { $0 != " " } }
            let isOpen = types.contains { type in
                let parts = type.split(separator: ";")
                return parts.first == "application/openmetrics-text" && !parts.contains { Double($0.dropFirst(2)) == 0 }
            }
            self = isOpen ? .openMetrics : .prometheus
        }

        var contentType: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    private let form: Form
    private var text = ""

    init(_ form: Form) { self.form = form }

    /// The text of these families, each once and without a gap, as both forms want it.
    static func write(_ families: [MetricFamily], _ form: Form) -> String {
        var text = MetricsText(form)
        for family in families where !family.samples.isEmpty { text.add(family) }
        if form == .openMetrics { text.text += "# EOF\n" }
        return text.text
    }

    private mutating func add(_ family: MetricFamily) {
        // Prometheus names the family of a counter as its series, OpenMetrics without the ending.
        let isTotal = family.kind == .counter
        let name = family.name + (isTotal && form == .prometheus ? "_total" : "")
        text += "# HELP \(name) \(MetricsText.escape(family.help, quotes: form == .openMetrics))\n"
        text += "# TYPE \(name) \(family.kind.rawValue)\n"
        for sample in family.samples {
            text += family.name + (isTotal ? "_total" : sample.suffix)
            if !sample.labels.isEmpty {
                let labels = sample.labels.map { "\($0.name)=\"\(MetricsText.escape($0.value, quotes: true))\"" }
                text += "{\(labels.joined(separator: ","))}"
            }
            text += " \(MetricsText.number(sample.value))\n"
        }
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += #"\\"#
            case "\n": escaped += #"\n"#
            case "\"" where quotes: escaped += #"\""#
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// A number as both forms read it.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
