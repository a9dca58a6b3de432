import Testing

@testable import Modelcast

/// For how long batches are held back: ``FlushPacing`` with made-up times.
@Suite struct FlushPacingTests {
    private static let delay: UInt64 = 1_000

    /// A load of so many writes in a millisecond, evenly spread, for a while; the socket thread comes whenever
    /// what is held back is due.
    private struct Load {
        var pacing = FlushPacing()
        var time: UInt64 = 5_000_000
        /// Writes that left with each flush, and for how long each waited at most.
        var flushes: [(writes: Int, microseconds: UInt64)] = []

        init() {
            pacing.flushed(time, delay: delay)
            // What makes it begin: writes have piled up.
            time += 100
            pacing.wrote(FlushPacing.loadWriteCount)
            pacing.flushed(time, delay: delay)
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
                guard pacing.holdUntil != nil, pacing.isDue(time) else { continue }
                pacing.flushed(time, delay: delay)
                flushes.append((waiting, time - lastFlush))
                (waiting, lastFlush) = (0, time)
            }
        }
    }

    @Test(arguments: [(64, 62), (100, 97), (300, 292), (700, 683), (1_024, 1_000), (5_000, 1_000)])
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
        for rate in [100, 300, 900] {
            var load = Load()
            load.run(writesAMillisecond: rate, milliseconds: 20)
            sizes.append(try #require(load.flushes.last?.writes))
        }
        #expect(sizes[0] >= 6 && sizes[0] <= 16)
        #expect(sizes[1] >= 4 * sizes[0])
        #expect(sizes[2] >= 4 * sizes[1])
    }

    @Test func `a load that grows is followed within two delays, and so is one that shrinks`() {
        var load = Load()
        load.run(writesAMillisecond: 100, milliseconds: 10)
        load.flushes = []
        load.run(writesAMillisecond: 2_000, milliseconds: 4)
        #expect(load.flushes.last?.microseconds ?? 0 >= 900)
        load.run(writesAMillisecond: 100, milliseconds: 4)
        #expect(load.flushes.last?.microseconds ?? 1_000 <= 150)
    }

    @Test func `less than a load ends it within two delays, and a pause at once`() {
        var load = Load()
        load.run(writesAMillisecond: 500, milliseconds: 5)
        #expect(load.pacing.holdUntil != nil)
        load.run(writesAMillisecond: 40, milliseconds: 3)
        #expect(load.pacing.holdUntil == nil)

        load = Load()
        load.run(writesAMillisecond: 500, milliseconds: 5)
        load.run(writesAMillisecond: 0, milliseconds: 2)
        #expect(load.pacing.holdUntil == nil)
        #expect(load.pacing.isQuiet(load.time))
    }

    @Test func `a short delay is never exceeded`() {
        var pacing = FlushPacing()
        pacing.flushed(1_000_000, delay: 20)
        pacing.wrote(1_000)
        pacing.flushed(1_000_010, delay: 20)
        #expect(pacing.holdUntil == 1_000_030)
    }

    @Test func `with no delay nothing is ever held back`() {
        var pacing = FlushPacing()
        pacing.flushed(1_000_000, delay: 0)
        for time in 1...10 {
            pacing.wrote(1_000)
            pacing.flushed(1_000_000 + UInt64(time), delay: 0)
            #expect(pacing.holdUntil == nil)
        }
    }
}
