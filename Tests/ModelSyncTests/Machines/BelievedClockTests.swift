import Testing

@testable import ModelSync

/// The wall clock by which deletes are forgotten.
@Suite struct BelievedClockTests {
    private static let hour: UInt64 = 3_600_000
    private static let start: UInt64 = 1_700_000_000_000

    /// Reads a clock once a second that says, at each time of the other clock, what `wall` says.
    private func read(
        seconds: UInt64, patience: UInt64 = hour * 1000, _ wall: (_ milliseconds: UInt64) -> UInt64
    ) -> [UInt64] {
        var clock = BelievedClock(Moment(wallMilliseconds: wall(0), uptimeMicroseconds: 0))
        return (0..<seconds).map { second in
            let moment = Moment(wallMilliseconds: wall(second * 1000), uptimeMicroseconds: second * 1_000_000)
            return clock.read(moment, patience: patience)
        }
    }

    @Test func `a clock that goes as it should is believed, also where it is corrected by and by`() {
        for (gain, of) in [(0, 1), (1, 2000), (1, 20)] as [(UInt64, UInt64)] {
            let told = read(seconds: 1_000) { Self.start + $0 + $0 * gain / of }
            #expect(told == (0..<1_000).map { Self.start + $0 * 1000 + $0 * 1000 * gain / of })
        }
    }

    @Test func `a clock that is ahead for some seconds is not followed, nor when it leaps again and again`() {
        let once = read(seconds: 100) { Self.start + $0 + ($0 > 20_000 && $0 < 60_000 ? 25 * Self.hour : 0) }
        #expect(once == (0..<100).map { Self.start + $0 * 1000 })
        // A new leap each half hour: none of them has lasted.
        let often = read(seconds: 4 * 3600) { Self.start + $0 + $0 / (Self.hour / 2) * 25 * Self.hour }
        #expect(often == (0..<(4 * 3600)).map { Self.start + $0 * 1000 })
    }

    @Test func `a leap ahead is believed when it has lasted for an hour, or for an eighth of a short retention`() {
        for (patience, seconds) in [(24 * Self.hour, 3600), (60_000, 60)] as [(UInt64, Int)] {
            let told = read(seconds: 4_000, patience: patience * 1000) {
                Self.start + $0 + ($0 >= 10_000 ? 25 * Self.hour : 0)
            }
            #expect(told.firstIndex { $0 > Self.start + Self.hour * 2 } == 10 + seconds)
            #expect(told.last == Self.start + 3_999_000 + 25 * Self.hour)
        }
    }

    @Test func `two leaps as far are not one that has lasted, where nobody looked between them`() {
        var clock = BelievedClock(Moment(wallMilliseconds: Self.start, uptimeMicroseconds: 0))
        let patience = 1_000_000 as UInt64
        for second in [0, 10, 20, 30] as [UInt64] {
            let leap = second > 0 && second < 30 ? 24 * Self.hour : 0
            let moment = Moment(
                wallMilliseconds: Self.start + second * 1000 + leap, uptimeMicroseconds: second * 1_000_000)
            #expect(clock.read(moment, patience: patience) == Self.start + second * 1000)
        }
    }

    @Test func `a leap back counts at once`() {
        let told = read(seconds: 100) { Self.start + $0 - ($0 >= 50_000 ? 25 * Self.hour : 0) }
        #expect(told[50] == Self.start + 50_000 - 25 * Self.hour)
    }
}
