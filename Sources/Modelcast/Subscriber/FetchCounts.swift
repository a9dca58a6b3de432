/// How often models that were fetched were in the copy: what tells whether its limits fit its use.
public struct FetchCounts: Sendable, Equatable {
    /// Models that a fetch has found in the copy.
    public internal(set) var hits: UInt64 = 0
    /// Models that a fetch has asked the senders for: they had left the copy, or do not exist.
    public internal(set) var misses: UInt64 = 0

    /// The share of hits, from 0 to 1; nil where nothing was fetched.
    public var hitRate: Double? { hits + misses == 0 ? nil : Double(hits) / Double(hits + misses) }
}
