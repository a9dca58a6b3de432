/// One figure of a measurement, beside its baseline.
public struct BenchFigure: Codable, Hashable, Sendable {
    /// The name in the table, such as "updates applied a second, 64 a call".
    public var name: String
    /// The value, in ``unit``.
    public var value: Double
    /// The unit of the value and of the baseline's.
    public var unit: Unit
    /// The figure that it is compared with, measured in the same run; nil for none.
    public var baseline: Baseline?
    /// The bound that was promised; nil for none.
    public var mark: Mark?

    /// A figure.
    public init(_ name: String, _ value: Double, _ unit: Unit, beside baseline: Baseline? = nil, mark: Mark? = nil) {
        (self.name, self.value, self.unit, self.baseline, self.mark) = (name, value, unit, baseline, mark)
    }

    /// The units of values.
    public enum Unit: String, Codable, Hashable, Sendable {
        case perSecond = "1/s"
        case nanoseconds = "ns"
        case microseconds = "us"
        case seconds = "s"
        case bytes = "B"
        /// Mebibytes, for many models or processes together.
        case mebibytes = "MiB"
        /// A count, without a unit.
        case count = ""
    }

    /// The figure of something else that does the same work.
    public struct Baseline: Codable, Hashable, Sendable {
        /// The name of what was measured, such as "raw libzmq" or "Dictionary behind a Mutex".
        public var name: String
        /// The value, in the figure's unit.
        public var value: Double
        /// The figure divided by the baseline: the median of the rounds' ratios where there were several, otherwise the
        /// quotient.
        public var ratio: Double
        /// The least and the greatest ratio of the rounds; nil where there was one round.
        public var range: ClosedRange<Double>?

        /// A baseline.
        public init(_ name: String, _ value: Double, ratio: Double, range: ClosedRange<Double>? = nil) {
            (self.name, self.value, self.ratio, self.range) = (name, value, ratio, range)
        }
    }

    /// A bound of the ratio, or of the value where there is no baseline.
    public enum Mark: Hashable, Sendable {
        case atLeast(Double)
        case atMost(Double)
    }

    /// Whether the mark is reached; nil where there is none.
    public var isReached: Bool? {
        let measured = baseline?.ratio ?? value
        switch mark {
        case .atLeast(let bound): return measured >= bound
        case .atMost(let bound): return measured <= bound
        case nil: return nil
        }
    }
}
