/// All series of one metric, as a scrape shows them.
struct MetricFamily {
    /// The kind of the numbers.
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    /// One line of a scrape: a number, behind a suffix of the family's name and its labels.
    struct Sample {
        var suffix = ""
        var labels: [MetricLabel] = []
        let value: Double
    }

    /// The name; that of a counter without `_total`.
    let name: String
    let kind: Kind
    /// The meaning of the numbers, in one sentence.
    let help: String
    var samples: [Sample] = []

    mutating func add(_ value: Double, _ labels: [MetricLabel] = [], suffix: String = "") {
        samples.append(Sample(suffix: suffix, labels: labels, value: value))
    }
}

/// A label of a series: its name and its value.
struct MetricLabel: Hashable, Comparable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.name, lhs.value) < (rhs.name, rhs.value) }
}
