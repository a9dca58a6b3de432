/// The wall clock without its leaps ahead, until they have lasted.
///
/// A clock that is a day ahead for some seconds would let a writer forget, as too old, what it has just deleted and
/// nobody has heard of: then the model would stay with everybody else. What is forgotten later than it might be costs
/// memory only, so a leap back counts at once. Between two readings that lie far apart the clock may have been right,
/// and have leapt again: of such a time only an eighth of what is asked for counts.
struct BelievedClock: Sendable {
    /// A reading of both clocks that is believed.
    private var anchor: Moment
    /// The leap ahead that is not believed yet.
    private var leap: Leap?

    private struct Leap {
        /// The first reading after it.
        let begin: Moment
        /// When it was seen last, and for how long it has been, in microseconds.
        var (lastSeen, lasted): (UInt64, UInt64)
    }

    /// By how much the wall clock may gain on the other one in a second of it, as it does while it is being corrected,
    /// and by how much at once.
    private static let (gainShare, gainMilliseconds): (UInt64, UInt64) = (10, 1_000)
    /// How long a leap has to last, at most.
    private static let patienceMicroseconds: UInt64 = 3_600_000_000

    /// How long a leap has to last where deletes are remembered for this long, in microseconds: an eighth.
    static func patience(retention: UInt64) -> UInt64 { retention / 8 }

    /// - Parameter now: the reading that is believed first.
    init(_ now: Moment) { anchor = now }

    /// The believed time, in milliseconds since 1970.
    /// - Parameter patience: how long a leap has to last, in microseconds; an hour at most.
    mutating func read(_ now: Moment, patience: UInt64) -> UInt64 {
        if BelievedClock.isExplained(now, since: anchor) {
            (anchor, leap) = (now, nil)
            return now.wallMilliseconds
        }
        if var known = leap, now.wallMilliseconds >= known.begin.wallMilliseconds,
            BelievedClock.isExplained(now, since: known.begin)
        {
            let asked = min(patience, BelievedClock.patienceMicroseconds)
            known.lasted += min(now.uptimeMicroseconds.subtractingOrZero(known.lastSeen), asked / 8)
            known.lastSeen = now.uptimeMicroseconds
            guard known.lasted < asked else {
                (anchor, leap) = (now, nil)
                return now.wallMilliseconds
            }
            leap = known
        } else {
            leap = Leap(begin: now, lastSeen: now.uptimeMicroseconds, lasted: 0)
        }
        return anchor.wallMilliseconds + now.uptimeMicroseconds.subtractingOrZero(anchor.uptimeMicroseconds) / 1000
    }

    /// The wall clock is not further ahead than the time since an earlier reading explains.
    private static func isExplained(_ now: Moment, since earlier: Moment) -> Bool {
        let elapsed = now.uptimeMicroseconds.subtractingOrZero(earlier.uptimeMicroseconds) / 1000
        return now.wallMilliseconds <= earlier.wallMilliseconds + elapsed + elapsed / gainShare + gainMilliseconds
    }
}
