import Foundation

/// One axis of a chart: it maps values to places, and has the ticks.
struct ChartScale: Sendable {
    struct Tick: Hashable, Sendable {
        var value: Double
        var label: String
    }

    /// The kinds of axes.
    enum Kind: Sendable {
        /// Values from 0 on, at even steps.
        case linear
        /// Values at even steps of their logarithm, with ticks at powers of ten.
        case logarithmic
        /// Percentiles, at even steps of nines: 0, 90, 99 and so on.
        case percentile
    }

    let kind: Kind
    let ticks: [Tick]
    private let lower: Double
    private let upper: Double

    /// - Parameter label: the text of a value beside its tick.
    init(_ kind: Kind, _ values: [Double], label: (Double) -> String) {
        self.kind = kind
        switch kind {
        case .linear:
            let step = ChartScale.step(for: max(values.max() ?? 0, 1e-9))
            let count = max(1, Int(((values.max() ?? 0) / step).rounded(.up)))
            (lower, upper) = (0, step * Double(count))
            ticks = (0...count).map { Tick(value: step * Double($0), label: label(step * Double($0))) }
        case .logarithmic:
            let positive = values.filter { $0 > 0 }
            var low = log10(positive.min() ?? 1).rounded(.down)
            let high = max(low + 1, log10(positive.max() ?? 1).rounded(.up))
            if !low.isFinite { low = 0 }
            (lower, upper) = (low, high)
            let factors = high - low > 2 ? [1.0] : [1, 2, 5]
            ticks = (Int(low)...Int(high)).flatMap { power in factors.map { $0 * pow(10, Double(power)) } }
                .filter { log10($0) <= high }.map { Tick(value: $0, label: label($0)) }
        case .percentile:
            let high = max(1, (values.map(ChartScale.nines).max() ?? 1).rounded(.up))
            (lower, upper) = (0, high)
            ticks = (0...Int(high)).map { nines in
                let value = 100 - 100 / pow(10, Double(nines))
                return Tick(value: value, label: label(value))
            }
        }
    }

    /// The place of a value on the axis, 0 to 1.
    func place(of value: Double) -> Double {
        let number =
            switch kind {
            case .linear: value
            case .logarithmic: value > 0 ? log10(value) : lower
            case .percentile: ChartScale.nines(value)
            }
        return min(max((number - lower) / (upper - lower), 0), 1)
    }

    /// The decimal logarithm of 1 / (1 - p): how many nines a percentile begins with.
    private static func nines(_ percentile: Double) -> Double { -log10(max(1 - percentile / 100, 1e-9)) }

    /// A step of 1, 2 or 5 times a power of ten, of which `most` has three to eight.
    private static func step(for most: Double) -> Double {
        let power = pow(10, log10(most / 3).rounded(.down))
        return [5.0, 2, 1].map { $0 * power }.first { most / $0 >= 3 } ?? power
    }
}
