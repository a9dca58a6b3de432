import ModelWire
import Testing

@testable import ModelSync

/// When a relay has heard of each origin, by the word of others.
@Suite struct SourceTableTests {
    private let honest = SenderID(index: 0)
    private let other = SenderID(index: 1)

    private func heads(_ stamp: UInt64, age: UInt64) -> Heads {
        Heads(origin: "origin", incarnation: 1, stamp: stamp << 16, heads: [], isRelayed: true, ageMilliseconds: age)
    }

    @Test(arguments: [0, 1_000, .max] as [UInt64])
    func `a sender that tells greater stamps makes no news of others old`(age: UInt64) {
        var table = SourceTable()
        for beat in 1...50 as ClosedRange<UInt64> {
            let time = beat * 100_000
            table.note(heads(beat * 100 + 4_000, age: age), from: other, at: time)
            table.note(heads(beat * 100, age: 10), from: honest, at: time)
            #expect(table["origin"]?.lastHeard ?? 0 >= time - 10_000)
        }
    }

    @Test func `an origin that is gone grows old, however often and late relays tell each other of it`() {
        var table = SourceTable()
        table.note(heads(1_000, age: 0), from: honest, at: 1_000_000)
        for beat in 1...50 as ClosedRange<UInt64> {
            // What comes back is some milliseconds late each time, and would make it younger by as much.
            table.note(heads(1_000, age: beat * 90), from: other, at: 1_000_000 + beat * 100_000)
            table.note(heads(990, age: beat * 90), from: other, at: 1_000_000 + beat * 100_000)
        }
        #expect(table["origin"]?.lastHeard ?? .max <= 1_010_000)
    }

    @Test func `what was told of an origin before it pushed hides nothing that is told of it afterwards`() {
        var table = SourceTable()
        table.note(heads(9_000, age: 0), from: other, at: 1_000_000)
        table.notePush(of: "origin", incarnation: 1, stamp: 1_000 << 16, at: 2_000_000)
        table.note(heads(1_010, age: 0), from: other, at: 3_000_000)
        #expect(table["origin"]?.lastHeard == 3_000_000)
    }
}
