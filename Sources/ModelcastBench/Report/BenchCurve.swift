/// A line in a chart: the percentiles of a latency, or something over time.
public struct BenchCurve: Codable, Hashable, Sendable {
    /// The name in the legend.
    public var name: String
    /// The kind of values, which decides the axes.
    public var kind: Kind
    /// The title of the chart. Curves of a part that have the same title and kind share a chart; nil stands for the
    /// title of the kind.
    public var chart: String?
    /// The points, from left to right.
    public var points: [Point]

    /// A curve with these points.
    public init(_ name: String, _ kind: Kind, in chart: String? = nil, _ points: [Point]) {
        (self.name, self.kind, self.chart, self.points) = (name, kind, chart, points)
    }

    /// The kinds of values.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// x: a percentile, 0 to 100; y: microseconds.
        case latency
        /// x: seconds since the start; y: updates a second.
        case throughput
        /// x: seconds since the start, y: MiB of resident memory.
        case memory
    }

    /// A point, in the units of the curve's kind.
    public struct Point: Codable, Hashable, Sendable {
        /// The horizontal value.
        public var x: Double
        /// The vertical value.
        public var y: Double

        /// A point.
        public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }
}
