import ModelRecord

/// What stamps count against the wall clock (protocol article, section 8), and how much of that the log is told.
struct ClockGuard: Sendable {
    /// In whole numbers: a batch is held against each, and to take a duration apart means to divide 128 bits.
    private let leadMilliseconds: UInt64
    private let retentionMilliseconds: UInt64
    private var noticeCount = 0
    private var nextNotices: UInt64 = 0

    /// How long a stream of rejected batches is left alone before its topic is asked for again.
    static let pauseMicroseconds: UInt64 = 5_000_000
    /// Of so many origins the log is told that they are accepted again.
    static let toldOriginCountMax = 1_024

    init(_ configuration: ReplicaConfiguration) {
        leadMilliseconds = configuration.clockLeadMax.wholeMicroseconds / 1000
        retentionMilliseconds = configuration.tombstoneRetention.wholeMicroseconds / 1000
    }

    /// The stamp lies further ahead of the wall clock than is accepted.
    func isTooFarAhead(_ stamp: Stamp, now: Moment) -> Bool {
        now.isPassed(by: stamp, leadMilliseconds: leadMilliseconds)
    }

    /// Older than deleted models are remembered. Says nothing of a current batch, whose sequence shows that it is new:
    /// its origin's clock may be behind.
    func isExpired(_ stamp: Stamp, now: Moment) -> Bool {
        stamp >> 16 < now.wallMilliseconds.subtractingOrZero(retentionMilliseconds)
    }

    /// Nothing that was written with this stamp, or in this start again, can be deleted and forgotten.
    func isYoung(_ stamp: Stamp, now: Moment) -> Bool {
        now.wallMilliseconds.subtractingOrZero(stamp >> 16) < retentionMilliseconds / 2
    }

    /// By how many milliseconds the stamp lies ahead of the wall clock.
    static func lead(of stamp: Stamp, _ now: Moment) -> UInt64 {
        (stamp >> 16).subtractingOrZero(now.wallMilliseconds)
    }

    /// One more line on clocks may be logged; counts it.
    mutating func takeNotice(now: Moment) -> Bool {
        if now.uptimeMicroseconds >= nextNotices {
            nextNotices = now.uptimeMicroseconds + ClockGuard.pauseMicroseconds
            noticeCount = 0
        }
        guard noticeCount < Replica.toldOriginCountMax else { return false }
        noticeCount += 1
        return true
    }
}
