/// The use of a rate. Whoever was silent for a second has a second's worth in hand. What is taken may be more than is
/// left, and what is owed then has to pass first, so that one large batch is as good as many small ones.
struct RateMeter: Sendable {
    /// When everything that was taken is paid for, on the clock of ``Moment/uptimeMicroseconds``.
    private var paidAt: UInt64 = 0

    private static let second: UInt64 = 1_000_000

    /// Something may be taken.
    func isOpen(at time: UInt64) -> Bool { paidAt <= time }

    /// Takes so much of a rate.
    mutating func take(_ count: Int, perSecond rate: Int, at time: UInt64) {
        let start = max(paidAt, time.subtractingOrZero(RateMeter.second))
        let (product, isPast) = UInt64(max(count, 0)).multipliedReportingOverflow(by: RateMeter.second)
        let (end, isFar) = start.addingReportingOverflow((isPast ? .max : product) / UInt64(max(rate, 1)))
        paidAt = isFar ? .max : end
    }
}
