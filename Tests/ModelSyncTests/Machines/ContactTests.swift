import Testing

@testable import ModelSync

/// How long a replica was without word of a sender, by a wall clock that may be wrong.
@Suite struct ContactTests {
    private static let hour: UInt64 = 3_600_000
    private static let start: UInt64 = 1_800_000_000_000

    private func moment(_ milliseconds: UInt64, ahead: UInt64 = 0) -> Moment {
        Moment(wallMilliseconds: Self.start + milliseconds + ahead, uptimeMicroseconds: milliseconds * 1_000)
    }

    private func clocks() -> ClockGuard { ClockGuard(ReplicaConfiguration(name: "replica", prefixes: [])) }

    @Test func `a contact while the clock is ahead is no later than it was`() {
        let clocks = clocks()
        var believed = BelievedClock(moment(0))
        for second in 0..<600 as Range<UInt64> {
            let now = moment(second * 1_000, ahead: second >= 300 ? 24 * Self.hour : 0)
            #expect(clocks.contact(by: &believed, now: now) == Self.start + second * 1_000)
        }
        // Right again after an absence of more than a day: it counts as one.
        let last = clocks.contact(by: &believed, now: moment(600_000, ahead: 24 * Self.hour))
        #expect(clocks.isForgotten(last, now: moment(600_000 + 25 * Self.hour)))
        #expect(!clocks.isForgotten(last, now: moment(600_000 + 23 * Self.hour)))
    }

    @Test func `a contact in the future is so long ago that nobody knows how long`() {
        let clocks = clocks()
        #expect(clocks.isForgotten(Self.start + 24 * Self.hour, now: moment(0)))
        #expect(clocks.isForgotten(Self.start + 4 * Self.hour, now: moment(0)))
        // A clock that was corrected by some minutes is no reason to take everything anew.
        #expect(!clocks.isForgotten(Self.start + Self.hour / 2, now: moment(0)))
    }

    @Test func `a clock that has just leapt decides nothing, until it has stayed so for some seconds`() {
        let clocks = clocks()
        var believed = BelievedClock(moment(0))
        let last = Self.start
        #expect(!clocks.isUndecided(last, by: &believed, now: moment(0)))
        for second in 1...10 as ClosedRange<UInt64> {
            #expect(clocks.isUndecided(last, by: &believed, now: moment(second * 1_000, ahead: 25 * Self.hour)))
        }
        #expect(!clocks.isUndecided(last, by: &believed, now: moment(12_000, ahead: 25 * Self.hour)))
        #expect(!clocks.isUndecided(last, by: &believed, now: moment(13_000)))
    }

    @Test func `a machine that slept for longer than deletes are remembered was away`() {
        let clocks = clocks()
        var believed = BelievedClock(moment(0))
        let last = clocks.contact(by: &believed, now: moment(1_000))
        // Its other clock stood meanwhile.
        #expect(clocks.isForgotten(last, now: moment(2_000, ahead: 25 * Self.hour)))
    }
}
