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

/// A line in a picture: the percentiles of a latency, or something over time.
public struct BenchCurve: Codable, Hashable, Sendable {
    public var name: String
    public var kind: Kind
    /// The title of the picture that it is drawn in, with all of its part that have the same; nil for the one of its
    /// kind.
    public var chart: String?
    public var points: [Point]

    public init(_ name: String, _ kind: Kind, in chart: String? = nil, _ points: [Point]) {
        (self.name, self.kind, self.chart, self.points) = (name, kind, chart, points)
    }

    public enum Kind: String, Codable, Hashable, Sendable {
        /// x: a percentile, 0 to 100; y: microseconds.
        case latency
        /// x: seconds since the start; y: updates a second.
        case throughput
        /// x: seconds since the start, y: MiB of resident memory.
        case memory
    }

    public struct Point: Codable, Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }
}
