/// Figures beside a baseline of the same run.
extension BenchFigure {
    /// A figure of one measurement, beside one of the baseline. The ratio is 0 where the baseline is.
    public init(
        _ name: String, _ value: Double, _ unit: Unit, against baseline: String, _ other: Double, mark: Mark? = nil
    ) {
        let ratio = other > 0 ? value / other : 0
        self.init(name, value, unit, beside: Baseline(baseline, other, ratio: ratio), mark: mark)
    }

    /// A figure of several rounds, each of which was measured between two rounds of the baseline. Figure and baseline
    /// are medians; the ratio is the median of the rounds' ratios to the baseline around them, with their range.
    public init(_ name: String, _ unit: Unit, _ rounds: BenchRounds, against baseline: String, mark: Mark? = nil) {
        let ratios = rounds.ratios
        var range: ClosedRange<Double>?
        if ratios.count > 1, let least = ratios.min(), let most = ratios.max() { range = least...most }
        let other = Baseline(baseline, rounds.baseline.median ?? 0, ratio: ratios.median ?? 0, range: range)
        self.init(name, rounds.values.median ?? 0, unit, beside: other, mark: mark)
    }
}

extension Array where Element: Comparable {
    /// The median; the lower of the two middle elements of an even number.
    var median: Element? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
