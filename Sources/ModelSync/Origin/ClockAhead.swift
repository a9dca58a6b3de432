import ModelRecord

/// Stamps of an origin that lay, or lie, ahead of its wall clock, as far as it knows.
struct ClockAhead: Sendable {
    /// Whether such stamps are taken by others.
    var review = ClockReview()
    /// Where the stamps stood before the clock jumped.
    var jumps = ClockJumps()
    /// The starts that were given up because nobody took their stamps.
    var voids: [UInt64] = []
}

/// Whether other processes take stamps that lie ahead of the wall clock of this origin.
///
/// A hybrid clock never goes back. After the wall clock was far ahead for a moment, every later stamp lies as far
/// ahead, and is refused everywhere until that time has come. So an origin whose stamps nobody takes starts anew.
///
/// A wall clock that was set *back* looks the same from here: the stamps lie ahead of it. But then others take the
/// stamps, and nothing must be changed. So the reports of others decide: an origin starts anew when a process has
/// refused what lies ahead and none has taken it.
struct ClockReview: Sendable {
    /// Since when a process has been refusing what lies ahead.
    var refusedSince: UInt64?
    /// When a process was last known to hold something that lies ahead.
    var takenAt: UInt64?
    /// The greatest stamp that a process was known to hold and that does not lie ahead. It may stand above all that the
    /// own copy still has: what was written over since, or by a former run whose clock was ahead by less.
    var heldElsewhere: Stamp = 0
    /// The log was told that stamps lie ahead.
    var isTold = false

    /// How long a refusal must stand: the time of two reports, so that a process which takes the stamps has been heard,
    /// too.
    static let graceMicroseconds: UInt64 = 1_000_000
    /// How long it counts that a process has taken a stamp: the time of ten reports.
    static let takenMicroseconds: UInt64 = 10_000_000
}

/// Where the stamps of an origin stood before its clock jumped. Others may have taken what it wrote up to there, also
/// what it has written over since.
struct ClockJumps: Sendable {
    /// The stamp at the last look, and when that was.
    private var last: (stamp: Stamp, at: UInt64)?
    /// Above all stamps that were given before each of the last jumps, ascending.
    private var bounds: [Stamp] = []

    /// How far a clock may advance between two looks, beyond the time that has passed, without counting as a jump.
    private static let slackMilliseconds: UInt64 = 1_000
    private static let countMax = 8

    /// Looks at the clock, at least with each heartbeat.
    mutating func look(_ clock: HybridClock, now: Moment) {
        let stamp = max(clock.last, now.wallMilliseconds << 16)
        // The stamp of this look is kept, and not the greatest one so far: after stamps or the wall clock have gone
        // back, they may jump as far again, and that jump counts as well.
        defer { last = (stamp, now.uptimeMicroseconds) }
        guard let last else { return }
        let passed = now.uptimeMicroseconds.subtractingOrZero(last.at) / 1000
        let bound = last.stamp + (passed + ClockJumps.slackMilliseconds) << 16
        guard stamp > bound else { return }
        bounds.append(bound)
        if bounds.count > ClockJumps.countMax { bounds.removeFirst() }
    }

    /// A bound that no stamp given before the clock jumped past `limit` exceeds; 0 where it is not known.
    func bound(below limit: Stamp) -> Stamp { bounds.last { $0 <= limit } ?? 0 }
}
