/// How figures are written in the table and on the page.
extension BenchFigure.Unit {
    /// A value with its unit.
    public func text(_ value: Double) -> String {
        let digits = value.magnitude
        switch self {
        case .perSecond: return "\(BenchFigure.Unit.short(value))/s"
        case .nanoseconds: return "\(BenchFigure.Unit.short(value)) ns"
        case .microseconds: return "\(digits < 1000 ? Figures.fixed(value, 1) : Figures.grouped(value)) µs"
        case .seconds:
            if digits < 0.1, digits > 0 { return "\(Figures.fixed(value * 1000, digits < 0.001 ? 3 : 1)) ms" }
            return "\(Figures.fixed(value, 2)) s"
        case .bytes: return "\(BenchFigure.Unit.short(value)) B"
        case .mebibytes: return "\(Figures.fixed(value, 1)) MiB"
        case .count: return BenchFigure.Unit.short(value)
        }
    }

    /// A whole number; with one digit behind the point where it is below 100 and not whole.
    private static func short(_ value: Double) -> String {
        value.magnitude < 100 && value != value.rounded() ? Figures.fixed(value, 1) : Figures.grouped(value)
    }
}

extension BenchFigure {
    /// The value with its unit.
    public var valueText: String { unit.text(value) }

    /// The ratio to the baseline, with its range where there were several rounds.
    public var ratioText: String? {
        baseline.map { baseline in
            let range = baseline.range.map { " (\(Figures.ratio($0.lowerBound))–\(Figures.ratio($0.upperBound)))" }
            return Figures.ratio(baseline.ratio) + (range ?? "")
        }
    }

    /// The bound, and whether it was reached.
    public var markText: String? {
        guard let mark, let isReached else { return nil }
        let bound =
            switch mark {
            case .atLeast(let bound): "≥ \(boundText(bound))"
            case .atMost(let bound): "≤ \(boundText(bound))"
            }
        return "\(bound) \(isReached ? "reached" : "missed")"
    }

    private func boundText(_ bound: Double) -> String { baseline == nil ? unit.text(bound) : Figures.ratio(bound) }
}

extension Figures {
    /// A ratio: two digits behind the point, one from 10 on.
    static func ratio(_ value: Double) -> String { fixed(value, value.magnitude >= 10 ? 1 : 2) }
}
