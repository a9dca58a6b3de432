@_spi(CacheWriting) public import ModelCache
import ModelRecord

/// Forgets deleted models and removed fields whose retention is over, a few buckets at a time.
///
/// Where no model is deleted, nothing is walked for tombstones. Only the cells of a model tell whether it has removed
/// fields, so all models are walked for those, once in each eighth of the retention.
public struct TombstoneSweep: Sendable {
    private var types: [String] = []
    private var bucket = 0
    /// This pass looks for removed fields, too.
    private var looksForFields = false
    /// When the last pass that looked for removed fields began.
    private var lastFields: UInt64?
    private var nextTurn: UInt64 = 0
    private var clock: BelievedClock

    /// The pause between two steps.
    private static let pauseMicroseconds: UInt64 = 100_000
    /// How many buckets one step looks at in a pass for tombstones alone.
    private static let bucketCount = 4
    /// About how many models one step looks at in a pass that looks for removed fields.
    private static let modelCount = 2_048

    /// A sweep that begins with the first step.
    /// - Parameter now: the time at which the clock is believed; later leaps are not, until they have lasted.
    public init(now: Moment) { clock = BelievedClock(now) }

    /// Whether the pause since the last step is over; begins the next pause. Looks at the clock, too: there may be no
    /// step for long, and a leap that ends meanwhile has to be seen.
    mutating func takeTurn(retention: Duration, now: Moment) -> Bool {
        guard now.uptimeMicroseconds >= nextTurn else { return false }
        nextTurn = now.uptimeMicroseconds + TombstoneSweep.pauseMicroseconds
        _ = believedTime(retention, now)
        return true
    }

    /// The time by which is forgotten, in milliseconds since 1970.
    private mutating func believedTime(_ retention: Duration, _ now: Moment) -> UInt64 {
        clock.read(now, patience: BelievedClock.patience(retention: retention.wholeMicroseconds))
    }

    /// Looks at a few buckets of one type.
    /// - Parameter retention: tombstones whose floor is older than that by the wall clock, and removed fields whose
    ///   stamp is, are let go. A wall clock that has leapt ahead counts once it has stayed so (``BelievedClock``).
    /// - Returns: how many tombstones were dropped.
    public mutating func step(_ cache: ModelCache, retention: Duration, now: Moment) -> Int {
        let horizon = believedTime(retention, now).subtractingOrZero(retention.wholeMicroseconds / 1000)
        // A clock that was never set has no horizon.
        let stamp = min(horizon, 1 << 47) << 16
        while let type = types.last {
            let isWorthwhile = looksForFields ? cache.count(of: type) > 0 : cache.tombstoneCount(of: type) > 0
            guard isWorthwhile, bucket < 256 else {
                types.removeLast()
                bucket = 0
                continue
            }
            let buckets = bucket..<min(bucket + bucketCount(cache.count(of: type)), 256)
            bucket = buckets.upperBound
            if looksForFields { cache.dropRemovedFields(of: type, buckets: buckets, olderThan: stamp) }
            return cache.dropTombstones(of: type, buckets: buckets, olderThan: stamp)
        }
        types = cache.types
        looksForFields = lastFields.map { now.uptimeMicroseconds >= $0 + retention.wholeMicroseconds / 8 } ?? true
        if looksForFields { lastFields = now.uptimeMicroseconds }
        return 0
    }

    private func bucketCount(_ count: Int) -> Int {
        guard looksForFields else { return TombstoneSweep.bucketCount }
        return max(1, min(256, 256 * TombstoneSweep.modelCount / max(1, count)))
    }
}
