/// The use of a rate. Whoever was silent for a second has a second's worth in hand. Unlike of a ``TokenBucket``, more
/// may be taken than is left, and what is owed then has to pass first, so that one large batch is as good as many small
/// ones. The rate may change: what was taken is kept as a count and not as a time.
struct RateMeter: Sendable {
    /// The amount that was taken and has not passed yet, in millionths, as of the last look.
    private var taken: UInt64 = 0
    private var lastTime: UInt64 = 0

    private static let million: UInt64 = 1_000_000

    /// Something may be taken.
    mutating func isOpen(perSecond rate: Int, at time: UInt64) -> Bool {
        let rate = UInt64(max(rate, 1))
        let (passed, isPast) = time.subtractingOrZero(lastTime).multipliedReportingOverflow(by: rate)
        taken = isPast ? 0 : taken.subtractingOrZero(passed)
        lastTime = max(lastTime, time)
        return taken <= rate.multipliedSaturating(by: RateMeter.million)
    }

    /// Takes so much. Called after ``isOpen(perSecond:at:)``.
    mutating func take(_ count: Int) {
        let (sum, isPast) = taken.addingReportingOverflow(
            UInt64(max(count, 0)).multipliedSaturating(by: RateMeter.million))
        taken = isPast ? .max : sum
    }
}

extension UInt64 {
    fileprivate func multipliedSaturating(by other: UInt64) -> UInt64 {
        let (product, isPast) = multipliedReportingOverflow(by: other)
        return isPast ? .max : product
    }
}
