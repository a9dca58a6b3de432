import ModelRecord
import Testing

struct VersionTests {
    @Test func `versions are ordered by stamp, then by the bytes of the origin`() {
        let ordered = [1.by("z"), 2.by("A"), 2.by("a"), 2.by("a.b"), 2.by("ab"), 3.by("-")]
        for (left, right) in zip(ordered, ordered.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
        #expect(ordered.shuffled().sorted() == ordered)
        #expect(!(1.by("a") < 1.by("a")))
    }

    @Test func `a description shows milliseconds, counter and origin`() {
        #expect((5 << 16 | 7).by("feed").description == "5.7@feed")
    }
}

struct HybridClockTests {
    @Test func `a tick follows the wall clock`() {
        var clock = HybridClock()
        #expect(clock.tick(nowMilliseconds: 1000) == 1000 << 16)
        #expect(clock.tick(nowMilliseconds: 1001) == 1001 << 16)
        #expect(clock.last == 1001 << 16)
    }

    @Test func `ticks within one millisecond count up`() {
        var clock = HybridClock()
        let ticks = (0..<3).map { _ in clock.tick(nowMilliseconds: 1000) }
        #expect(ticks == [1000 << 16, 1000 << 16 + 1, 1000 << 16 + 2])
    }

    @Test func `a tick rises even when the wall clock goes back or the counter runs over`() {
        var clock = HybridClock(last: 2000 << 16)
        #expect(clock.tick(nowMilliseconds: 1000) == 2000 << 16 + 1)
        clock = HybridClock(last: 1000 << 16 | 0xFFFF)
        #expect(clock.tick(nowMilliseconds: 1000) == 1001 << 16)
        #expect(clock.tick(nowMilliseconds: 1000) == 1001 << 16 + 1)
    }

    @Test func `what was seen stands before what comes after`() {
        var clock = HybridClock()
        clock.observe(5000 << 16 | 3)
        #expect(clock.tick(nowMilliseconds: 1000) == 5000 << 16 | 4)
        clock.observe(1)
        #expect(clock.last == 5000 << 16 | 4)
    }

    @Test func `a stamp is too far ahead when its milliseconds are past the lead`() {
        func isTooFar(_ milliseconds: UInt64) -> Bool {
            HybridClock.isTooFarAhead(
                milliseconds << 16 | 0xFFFF, nowMilliseconds: 1000, maxLeadMilliseconds: 300)
        }
        #expect(!isTooFar(0))
        #expect(!isTooFar(1300))
        #expect(isTooFar(1301))
    }
}
