import ModelSync
import ModelWire
import TestSupport
import Testing

@Suite struct RingTests {
    private static func stream(_ index: Int) -> ReplayRing.Stream {
        ReplayRing.Stream(origin: "origin-\(index / 2)", incarnation: 1, topic: .data(type: "T\(index % 2)"))
    }

    /// The same rule, written as simply as possible.
    private struct Model {
        struct Held {
            let stream: ReplayRing.Stream
            let sequence: UInt64
            let payload: [UInt8]
            let time: UInt64
        }
        let byteCountMax: Int
        let ageMax: UInt64
        var held: [Held] = []

        private func cost(_ frame: Held) -> Int { frame.payload.count + frame.stream.topic.bytes.count + 96 }

        mutating func append(_ frame: Held) {
            expire(frame.time)
            if held.contains(where: { $0.stream == frame.stream && $0.sequence == frame.sequence }) { return }
            held.append(frame)
            while held.reduce(0, { $0 + cost($1) }) > byteCountMax { held.removeFirst() }
        }

        mutating func expire(_ time: UInt64) { held.removeAll { time > $0.time && time - $0.time > ageMax } }

        func frames(
            of stream: ReplayRing.Stream, from first: UInt64, through last: UInt64, byteCountMax: Int
        ) -> ReplayRing.FoundFrames {
            let own = held.filter { $0.stream == stream }
            var found: [[UInt8]] = []
            var byteCount = 0
            var next = first
            while next <= last, let frame = own.first(where: { $0.sequence == next }) {
                byteCount += frame.payload.count
                if !found.isEmpty, byteCount > byteCountMax { break }
                found.append(frame.payload)
                next += 1
            }
            return found.isEmpty ? .gone(oldest: own.map(\.sequence).min() ?? 0) : .frames(found)
        }
    }

    @Test func `the ring finds what a list of frames finds, whatever comes in whatever order`() {
        forEachSeed(3_000) { _, generator in
            let byteCountMax = Int.random(in: 100...6_000, using: &generator)
            let ageMax = UInt64.random(in: 1...400, using: &generator)
            var ring = ReplayRing(byteCountMax: byteCountMax, ageMax: .microseconds(ageMax))
            var model = Model(byteCountMax: byteCountMax, ageMax: ageMax)
            var heads = [UInt64](repeating: 0, count: 4)
            var time: UInt64 = 1_000
            for _ in 0..<200 {
                time += UInt64.random(in: 0...8, using: &generator)
                let index = Int.random(in: 0..<4, using: &generator)
                let stream = RingTests.stream(index)
                // Mostly the next; at times one that was left out, a jump, or one that is there already.
                let isNext = Int.random(in: 0..<4, using: &generator) > 0
                let sequence =
                    isNext ? heads[index] + 1 : UInt64.random(in: 1...(heads[index] + 4), using: &generator)
                heads[index] = max(heads[index], sequence)
                let payload = [UInt8](
                    repeating: UInt8(truncatingIfNeeded: sequence),
                    count: Int.random(in: 0...300, using: &generator))
                ring.append(stream, sequence: sequence, payload: payload, at: time)
                model.append(
                    Model.Held(stream: stream, sequence: sequence, payload: payload, time: time))
                try #require(ring.frameCount == model.held.count)
                try #require(ring.byteCount <= byteCountMax)
                let first = UInt64.random(in: 0...(heads[index] + 2), using: &generator)
                let last = first &+ UInt64.random(in: 0...6, using: &generator)
                let fit = [Int.max, 0, 250].randomElement(using: &generator) ?? 0
                try #require(
                    ring.frames(of: stream, from: first, through: last, byteCountMax: fit)
                        == model.frames(of: stream, from: first, through: last, byteCountMax: fit))
            }
            ring.forget(before: time + ageMax + 1)
            try #require(ring.frameCount == 0 && ring.byteCount == 0)
        }
    }

    @Test func `what an earlier run has held goes when it would have gone there`() {
        var ring = ReplayRing(ageMax: .milliseconds(10))
        for (sequence, age) in [(1, 11), (2, 10), (3, 4)] as [(UInt64, Int)] {
            ring.append(
                RingTests.stream(0), sequence: sequence, payload: [1], at: 50_000, age: .milliseconds(age))
        }
        #expect(ring.oldest(of: RingTests.stream(0)) == 2)
        ring.forget(before: 50_001)
        #expect(ring.oldest(of: RingTests.stream(0)) == 3)
        ring.forget(before: 56_000)
        #expect(ring.oldest(of: RingTests.stream(0)) == 3)
        ring.forget(before: 56_001)
        #expect(ring.oldest(of: RingTests.stream(0)) == nil && ring.frameCount == 0)
    }

    @Test func `a ring of no bytes holds nothing`() {
        var ring = ReplayRing(byteCountMax: 0)
        ring.append(RingTests.stream(0), sequence: 1, payload: [1], at: 1)
        #expect(ring.frameCount == 0)
        #expect(ring.frames(of: RingTests.stream(0), from: 1, through: 1) == .gone(oldest: 0))
    }

    @Test func `ranges that cannot be are gone and cost nothing`() {
        var ring = ReplayRing()
        for sequence in 1...5 as ClosedRange<UInt64> {
            ring.append(RingTests.stream(0), sequence: sequence, payload: [UInt8(sequence)], at: sequence)
        }
        #expect(ring.frames(of: RingTests.stream(0), from: 0, through: .max) == .gone(oldest: 1))
        #expect(ring.frames(of: RingTests.stream(0), from: 3, through: 2) == .gone(oldest: 1))
        #expect(ring.frames(of: RingTests.stream(0), from: .max, through: .max) == .gone(oldest: 1))
        #expect(ring.frames(of: RingTests.stream(1), from: 1, through: 1) == .gone(oldest: 0))
        #expect(ring.frames(of: RingTests.stream(0), from: 4, through: .max) == .frames([[4], [5]]))
    }
}
