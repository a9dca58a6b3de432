/// How often models have left a copy for its limits, and what came of them since.
@_spi(CacheWriting)
public struct EvictionCounts: Hashable, Sendable {
    /// Models that have been evicted so far.
    public var evictions: UInt64 = 0
    /// Updates and records of evicted models, which were passed over.
    public var keptBack: UInt64 = 0
    /// Models that are evicted now.
    public var evicted = 0

    /// The sums of both.
    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.evictions += right.evictions
        sum.keptBack += right.keptBack
        sum.evicted += right.evicted
        return sum
    }
}
