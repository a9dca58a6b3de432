import ModelSync
import Testing

struct CountersTests {
    @Test func `each counter has a place of its own, and a name in words`() {
        var counters = Counters()
        for (value, name) in Counters.Name.allCases.enumerated() { counters[name] += UInt64(value) }
        #expect(counters.nonZero.map(\.value) == (1..<UInt64(Counters.Name.allCases.count)).map { $0 })
        #expect(counters.nonZero.map(\.name) == Array(Counters.Name.allCases.dropFirst()))
        #expect(Counters.Name.holesMendedByReplay.label == "holes_mended_by_replay")
        #expect(Set(Counters.Name.allCases.map(\.label)).count == Counters.Name.allCases.count)
    }
}
