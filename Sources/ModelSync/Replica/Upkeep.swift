/// The work of a replica that no message asks for: it forgets old deletes, looks at stale senders, clocks and claims,
/// and notices that its process has stood still.
struct Upkeep {
    var sweep: TombstoneSweep
    /// The clock by which contacts with senders are dated.
    var contacts: BelievedClock
    /// The clock by which absences are measured.
    var absences: BelievedClock
    private var nextReview: UInt64 = 0
    private var lastTick: UInt64 = 0

    init(now: Moment) {
        sweep = TombstoneSweep(now: now)
        (contacts, absences) = (BelievedClock(now), BelievedClock(now))
    }

    /// Returns whether stale senders, clocks and claims are to be looked at, which is so once in each interval.
    mutating func takesReview(every interval: Duration, now: Moment) -> Bool {
        guard now.uptimeMicroseconds >= nextReview else { return false }
        nextReview = now.uptimeMicroseconds + interval.wholeMicroseconds
        return true
    }

    /// Returns whether the process has stood still for longer than this since the last call.
    mutating func hasStoodStill(for limit: Duration, now: Moment) -> Bool {
        defer { lastTick = now.uptimeMicroseconds }
        return lastTick > 0 && now.uptimeMicroseconds.subtractingOrZero(lastTick) > limit.wholeMicroseconds
    }
}
