/// One figure of a measurement, beside what it is compared with.
public struct BenchFigure: Codable, Hashable, Sendable {
    /// What was measured, as the table has it: "updates applied a second, 64 a call".
    public var name: String
    public var value: Double
    public var unit: Unit
    /// What it stands beside, measured in the same run.
    public var baseline: Baseline?
    /// What was promised of it.
    public var mark: Mark?

    public init(_ name: String, _ value: Double, _ unit: Unit, beside baseline: Baseline? = nil, mark: Mark? = nil) {
        (self.name, self.value, self.unit, self.baseline, self.mark) = (name, value, unit, baseline, mark)
    }

    /// How values are written.
    public enum Unit: String, Codable, Hashable, Sendable {
        case perSecond = "1/s"
        case nanoseconds = "ns"
        case microseconds = "us"
        case seconds = "s"
        case bytes = "B"
        /// Of many models or processes together.
        case mebibytes = "MiB"
        /// How often, how many.
        case count = ""
    }

    /// The same done by something else.
    public struct Baseline: Codable, Hashable, Sendable {
        /// Whose figure it is: "raw libzmq", "Dictionary and Mutex".
        public var name: String
        public var value: Double
        /// The figure divided by it: the median of the rounds where there were several, or else the quotient.
        public var ratio: Double
        /// Where there were several rounds: the least and the greatest ratio.
        public var range: ClosedRange<Double>?

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
