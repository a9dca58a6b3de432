public import ModelCache
import ModelRecord

/// Forgets deleted models whose retention is over, a few buckets at a time.
public struct TombstoneSweep: Sendable {
    private var types: [String] = []
    private var bucket = 0

    /// How many buckets one step looks at.
    private static let bucketCount = 4

    public init() {}

    /// Looks at a few buckets of one type.
    /// - Parameter retention: tombstones whose floor is older than that, by the wall clock, are let go.
    /// - Returns: how many were.
    public mutating func step(_ cache: ModelCache, retention: Duration, now: Moment) -> Int {
        let horizon = now.wallMilliseconds.subtractingOrZero(retention.wholeMicroseconds / 1000)
        while let type = types.last {
            guard cache.tombstoneCount(of: type) > 0, bucket < 256 else {
                types.removeLast()
                bucket = 0
                continue
            }
            let buckets = bucket..<min(bucket + TombstoneSweep.bucketCount, 256)
            bucket = buckets.upperBound
            // A clock that was never set has no horizon.
            return cache.dropTombstones(of: type, buckets: buckets, olderThan: min(horizon, 1 << 47) << 16)
        }
        types = cache.types
        return 0
    }
}
