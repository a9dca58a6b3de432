/// Figures beside what was measured around them.
extension BenchFigure {
    /// One measurement of each.
    public init(
        _ name: String, _ value: Double, _ unit: Unit, against baseline: String, _ other: Double, mark: Mark? = nil
    ) {
        let ratio = other > 0 ? value / other : 0
        self.init(name, value, unit, beside: Baseline(baseline, other, ratio: ratio), mark: mark)
    }

    /// Several rounds, each of which stood between two of the baseline: medians of all, and the median and the range of
    /// the ratios of each round to those around it.
    public init(_ name: String, _ unit: Unit, _ rounds: BenchRounds, against baseline: String, mark: Mark? = nil) {
        let ratios = rounds.ratios
        var range: ClosedRange<Double>?
        if ratios.count > 1, let least = ratios.min(), let most = ratios.max() { range = least...most }
        let other = Baseline(baseline, rounds.baseline.median ?? 0, ratio: ratios.median ?? 0, range: range)
        self.init(name, rounds.values.median ?? 0, unit, beside: other, mark: mark)
    }
}

extension Array where Element: Comparable {
    /// The middle one; of an even number the lower of the two.
    var median: Element? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
