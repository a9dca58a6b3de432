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
