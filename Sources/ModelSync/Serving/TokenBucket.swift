/// A token bucket: a level that sinks with what is taken and rises with time.
package struct TokenBucket: Sendable {
    /// The level, in millionths; nil, which is full, before the first use.
    private var level: UInt64?
    private var lastTime: UInt64 = 0

    package init() {}

    /// Takes `count` if the level is as high. A request for more than a burst is served when the bucket is full.
    package mutating func take(_ count: UInt64 = 1, of rate: RequestBudget.Rate, at time: UInt64) -> Bool {
        let full = TokenBucket.millionths(rate.burst)
        var level = level ?? full
        let elapsed = time > lastTime ? time - lastTime : 0
        let (gained, isPast) = elapsed.multipliedReportingOverflow(by: rate.perSecond)
        level = isPast || gained > full - min(level, full) ? full : level + gained
        lastTime = max(lastTime, time)
        let cost = min(TokenBucket.millionths(count), full)
        let isThere = level >= cost
        self.level = isThere ? level - cost : level
        return isThere
    }

    private static func millionths(_ count: UInt64) -> UInt64 {
        let (product, isPast) = count.multipliedReportingOverflow(by: 1_000_000)
        return isPast ? .max : product
    }
}
