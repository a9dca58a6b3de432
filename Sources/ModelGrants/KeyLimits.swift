/// The limits of one key. What is not limited is bounded only as for every peer.
public struct KeyLimits: Hashable, Sendable {
    private var values: [KeyLimit: Int] = [:]

    /// No limits.
    public init() {}

    /// No limit is set.
    public var isEmpty: Bool { values.isEmpty }

    /// A limit, at least 1; nil for none.
    public subscript(limit: KeyLimit) -> Int? {
        get { values[limit] }
        set { values[limit] = newValue.map { max($0, 1) } }
    }

    /// The limits that are set, as they are written in a file of grants.
    public var words: [String] {
        KeyLimit.allCases.compactMap { limit in self[limit].map { "\(limit.rawValue)=\($0)" } }
    }

    /// Takes over the limits of another line with the same key. Of two numbers the smaller one holds.
    mutating func add(_ other: KeyLimits) {
        values.merge(other.values) { min($0, $1) }
    }
}
