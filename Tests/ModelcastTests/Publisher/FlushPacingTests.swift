import Testing

@testable import Modelcast

/// For how long batches are held back: ``FlushPacing`` with made-up times.
@Suite struct FlushPacingTests {
    private static let delay: UInt64 = 1_000

    /// A load of so many writes in a millisecond, evenly spread, for a while; the socket thread comes whenever
    /// what is held back is due.
    private struct Load {
        var pacing = FlushPacing(delay: delay)
        var time: UInt64 = 5_000_000
        /// Writes that left with each flush, and for how long each waited at most.
        var flushes: [(writes: Int, microseconds: UInt64)] = []

        init() {
            pacing.flushed(time)
            // What makes it begin: writes have piled up.
            time += 100
            pacing.wrote(FlushPacing.loadWriteCount)
            pacing.flushed(time)
        }

        mutating func run(writesAMillisecond rate: Int, milliseconds: Int) {
            let start = time
            var (done, waiting, lastFlush) = (0, 0, time)
            while time < start + UInt64(milliseconds) * 1_000 {
                time += 1
                let due = Int(time - start) * rate / 1_000
                pacing.wrote(due - done)
                waiting += due - done
                done = due
                // As if one batch took whatever comes.
                guard pacing.isHolding, pacing.isDue(time, openSince: nil) else { continue }
                pacing.flushed(time)
                flushes.append((waiting, time - lastFlush))
                (waiting, lastFlush) = (0, time)
            }
        }
    }

    @Test(arguments: [(64, 62), (70, 74), (100, 152), (150, 343), (200, 610), (256, 1_000), (5_000, 1_000)])
    func `batches are held back for longer the more is written, up to the delay`(
        rate: Int, microseconds: UInt64
    ) throws {
        var load = Load()
        load.run(writesAMillisecond: rate, milliseconds: 20)
        let settled = load.flushes.suffix(4)
        try #require(settled.count == 4)
        for flush in settled {
            // The rate is counted over whole holds.
            #expect(abs(Int(flush.microseconds) - Int(microseconds)) <= 30, "\(load.flushes)")
        }
    }

    @Test func `batches carry more writes the more is written`() throws {
        var sizes: [Int] = []
        for rate in [70, 120, 240] {
            var load = Load()
            load.run(writesAMillisecond: rate, milliseconds: 20)
            sizes.append(try #require(load.flushes.last?.writes))
        }
        // Twice as many writes wait four times as long.
        #expect(sizes[0] >= 3 && sizes[0] <= 8)
        #expect(sizes[1] >= 4 * sizes[0])
        #expect(sizes[2] >= 6 * sizes[1])
    }

    @Test func `a load that grows is followed within two delays, and so is one that shrinks`() {
        var load = Load()
        load.run(writesAMillisecond: 100, milliseconds: 10)
        load.flushes = []
        load.run(writesAMillisecond: 2_000, milliseconds: 4)
        #expect(load.flushes.last?.microseconds ?? 0 >= 900)
        load.run(writesAMillisecond: 100, milliseconds: 4)
        #expect(load.flushes.last?.microseconds ?? 1_000 <= 210)
    }

    @Test func `less than a load ends it within two delays, and a pause at once`() {
        var load = Load()
        load.run(writesAMillisecond: 500, milliseconds: 5)
        #expect(load.pacing.isHolding)
        load.run(writesAMillisecond: 40, milliseconds: 3)
        #expect(!load.pacing.isHolding)

        load = Load()
        load.run(writesAMillisecond: 500, milliseconds: 5)
        load.run(writesAMillisecond: 0, milliseconds: 2)
        #expect(!load.pacing.isHolding)
        #expect(load.pacing.isQuiet(load.time))
    }

    @Test func `a short delay is never exceeded`() {
        var pacing = FlushPacing(delay: 20)
        pacing.flushed(1_000_000)
        pacing.wrote(1_000)
        pacing.flushed(1_000_010)
        #expect(pacing.due(openSince: nil) == 1_000_030)
    }

    @Test func `with no delay nothing is ever held back`() {
        var pacing = FlushPacing(delay: 0)
        pacing.flushed(1_000_000)
        for time in 1...10 {
            pacing.wrote(1_000)
            pacing.flushed(1_000_000 + UInt64(time))
            #expect(!pacing.isHolding)
        }
    }

    /// Calls of so many writes each, which leave at once while nothing is held back.
    private func sendAtOnce(_ pacing: inout FlushPacing, writes: Int, microseconds: UInt64, count: Int) -> Int? {
        for index in 0..<count {
            let time = 5_000_000 + UInt64(index) * microseconds
            pacing.wrote(writes)
            if pacing.leftAtOnce(time) { return index }
        }
        return nil
    }

    @Test func `batches that leave at once time and again are a load, too`() throws {
        var pacing = FlushPacing(delay: FlushPacingTests.delay)
        // A million a second by calls of 64.
        let index = sendAtOnce(&pacing, writes: 64, microseconds: 64, count: 100)
        #expect(try #require(index) <= 2 * 1_000 / 64 + 1)
        #expect(pacing.isHolding)
        #expect(pacing.due(openSince: 7_000_000) == 7_001_000)
    }

    @Test(arguments: [(1, 20), (60, 1_000), (500, 500)])
    func `few writes, or few batches however large, leave at once for ever`(writes: Int, microseconds: UInt64) {
        var pacing = FlushPacing(delay: FlushPacingTests.delay)
        #expect(sendAtOnce(&pacing, writes: writes, microseconds: microseconds, count: 1_000) == nil)
        #expect(!pacing.isHolding)
    }

    @Test func `a load goes on as it was after a short pause, and begins anew after a long one`() throws {
        for (pause, microseconds) in [(3_000, 1_000), (50_000, 62)] as [(UInt64, UInt64)] {
            var load = Load()
            load.run(writesAMillisecond: 1_000, milliseconds: 10)
            load.run(writesAMillisecond: 0, milliseconds: 2)
            try #require(!load.pacing.isHolding)
            load.time += pause
            load.pacing.flushed(load.time)
            load.pacing.wrote(FlushPacing.loadWriteCount)
            load.time += 100
            load.pacing.flushed(load.time)
            #expect(load.pacing.due(openSince: nil) == load.time + microseconds)
        }
    }
}
