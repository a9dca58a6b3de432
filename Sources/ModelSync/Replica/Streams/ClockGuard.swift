import ModelRecord

/// Judges stamps by the wall clock (protocol article, section 8), and limits how much of that is logged.
struct ClockGuard: Sendable {
    /// Whole milliseconds: each batch is compared with both, and to take a duration apart means to divide 128 bits.
    private let leadMilliseconds: UInt64
    private let retentionMilliseconds: UInt64
    /// When the state of an earlier run was last in contact with its senders, in milliseconds of the wall clock; nil
    /// where there is none.
    let lastAlive: UInt64?
    private var noticeCount = 0
    private var nextNotices: UInt64 = 0

    /// How long a stream of rejected batches is left alone before its topic is asked for again.
    static let pauseMicroseconds: UInt64 = 5_000_000
    /// How many origins are remembered as rejected, so that the log can be told when they are accepted again.
    static let toldOriginCountMax = 1_024

    init(_ configuration: ReplicaConfiguration, lastAlive: UInt64? = nil) {
        self.lastAlive = lastAlive
        leadMilliseconds = configuration.clockLeadMax.wholeMicroseconds / 1000
        retentionMilliseconds = configuration.tombstoneRetention.wholeMicroseconds / 1000
    }

    /// The stamp lies further ahead of the wall clock than is accepted.
    func isTooFarAhead(_ stamp: Stamp, now: Moment) -> Bool {
        now.isPassed(by: stamp, leadMilliseconds: leadMilliseconds)
    }

    /// The stamp is older than deleted models are remembered. This says nothing of a batch of the current start: its
    /// sequence shows that it is new, and the clock of its origin may be behind.
    func isExpired(_ stamp: Stamp, now: Moment) -> Bool {
        stamp >> 16 < now.wallMilliseconds.subtractingOrZero(retentionMilliseconds)
    }

    /// The stamp is younger than half of the retention: a delete of what was written with it is still remembered
    /// everywhere.
    func isYoung(_ stamp: Stamp, now: Moment) -> Bool {
        stamp >= earliestYoung(now: now)
    }

    /// The earliest stamp that is young in that sense.
    func earliestYoung(now: Moment) -> Stamp {
        (now.wallMilliseconds.subtractingOrZero(retentionMilliseconds / 2) + 1) << 16
    }

    /// The time of a contact, in milliseconds of the wall clock, as it is remembered. A clock that is ahead for a
    /// moment would make it late, and the absence that begins then would seem short.
    /// - Parameter clock: what has been believed so far. No property of this one, which each batch reads: written to,
    ///   it would cost each batch another check of access.
    func contact(by clock: inout BelievedClock, now: Moment) -> UInt64 {
        clock.read(now, patience: doubtMicroseconds)
    }

    /// Whether a contact is longer ago than deleted models are remembered, or in a future where the clock must have
    /// been since: nobody can tell then how long it is ago.
    func isForgotten(_ contact: UInt64, now: Moment) -> Bool {
        now.wallMilliseconds.subtractingOrZero(contact) > retentionMilliseconds
            || contact.subtractingOrZero(now.wallMilliseconds) > doubtMicroseconds / 1000
    }

    /// Whether nobody can tell yet that a contact is that long ago: the clock says so, and has only just leapt.
    /// - Parameter clock: what is believed after seconds; read often.
    func isUndecided(_ contact: UInt64, by clock: inout BelievedClock, now: Moment) -> Bool {
        let believed = Moment(
            wallMilliseconds: presence(by: &clock, now: now), uptimeMicroseconds: now.uptimeMicroseconds)
        return isForgotten(contact, now: now) && !isForgotten(contact, now: believed)
    }

    /// The time by which a sender counts as away. A machine that has slept believes its clock some seconds later.
    @discardableResult
    func presence(by clock: inout BelievedClock, now: Moment) -> UInt64 {
        clock.read(now, patience: min(doubtMicroseconds, ClockGuard.absencePatienceMicroseconds))
    }

    private static var absencePatienceMicroseconds: UInt64 { 10_000_000 }

    /// The time for which a clock may be ahead, and by how much, without being doubted.
    private var doubtMicroseconds: UInt64 { BelievedClock.patience(retention: retentionMilliseconds * 1000) }

    /// By how many milliseconds the stamp lies ahead of the wall clock.
    static func lead(of stamp: Stamp, _ now: Moment) -> UInt64 {
        (stamp >> 16).subtractingOrZero(now.wallMilliseconds)
    }

    /// Whether one more line on clocks may be logged; counts it.
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
