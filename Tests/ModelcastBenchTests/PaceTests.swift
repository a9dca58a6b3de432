import Testing

@testable import ModelcastBench

@Suite struct PaceTests {
    @Test func `as many calls are due as the rate says`() {
        let pace = Pace(rate: 1000, start: 5_000_000)
        #expect(pace.count(at: 4_999_999) == 0)
        #expect(pace.count(at: 5_000_000) == 1)
        #expect(pace.count(at: 5_999_999) == 1)
        #expect(pace.count(at: 6_000_000) == 2)
        #expect(pace.due(2) == 7_000_000)
    }

    @Test func `every call is made, with the time at which it was due`() {
        // All due in the past: nothing waits.
        let pace = Pace(rate: 1_000_000, start: 1)
        var dues: [UInt64] = []
        pace.forEachDue(4) { dues.append($0) }
        #expect(dues == [1, 1001, 2001, 3001])
    }

    @Test func `random numbers stay below their limit and are the same for the same seed`() {
        var (first, second) = (SeededNumbers(seed: 9), SeededNumbers(seed: 9))
        for limit in 1...1000 {
            let number = first.below(limit)
            #expect(number == second.below(limit))
            #expect((0..<limit).contains(number))
        }
    }

    @Test func `bytes in pieces become the same lines`() {
        let bytes = Array("one\ntwo\n\nthree\nfour".utf8)
        for size in 1...bytes.count {
            var splitter = LineSplitter()
            var lines: [String] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = bytes[start..<min(start + size, bytes.count)]
                lines += splitter.add(piece).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(lines == ["one", "two", "three"], "pieces of \(size)")
        }
    }
}
