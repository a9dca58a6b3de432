/// Rounds of a measurement, each between two of its baseline.
public struct BenchRounds: Sendable {
    public private(set) var values: [Double] = []
    /// Every round of the baseline once.
    public private(set) var baseline: [Double] = []
    public private(set) var ratios: [Double] = []

    public init() {}

    /// Takes note of a round of the baseline.
    public mutating func add(baseline value: Double) { baseline.append(value) }

    /// Takes note of a round.
    /// - Parameter around: what it is compared with, made of the rounds of the baseline before and after it.
    public mutating func add(_ value: Double, around: Double) {
        values.append(value)
        ratios.append(around > 0 ? value / around : 0)
    }
}
