/// The rounds of a measurement. Each is measured between two rounds of its baseline.
public struct BenchRounds: Sendable {
    /// The values of the rounds.
    public private(set) var values: [Double] = []
    /// The values of the baseline's rounds.
    public private(set) var baseline: [Double] = []
    /// The ratio of each round to the baseline around it; 0 where that is 0.
    public private(set) var ratios: [Double] = []

    /// No rounds yet.
    public init() {}

    /// Adds a round of the baseline.
    public mutating func add(baseline value: Double) { baseline.append(value) }

    /// Adds a round.
    /// - Parameter around: the value to compare with, made from the rounds of the baseline before and after it.
    public mutating func add(_ value: Double, around: Double) {
        values.append(value)
        ratios.append(around > 0 ? value / around : 0)
    }
}
