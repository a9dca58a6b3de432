import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Writes that are handed over together do what they do one by one.
@Suite struct BatchTests {
    private func entries(using generator: inout SeededGenerator) -> [WriteEntry] {
        (0..<Int.random(in: 1...80, using: &generator)).map { _ in
            let write =
                [Write.merge, .merge, .merge, .merge, .replace, .assign, .delete]
                .randomElement(using: &generator) ?? .merge
            var fields: Fields = [:]
            if write != .delete {
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    let names = ["a", "b", "seven77", "eight888", "nine99999", String(repeating: "l", count: 30)]
                    let field = names.randomElement(using: &generator) ?? "a"
                    fields[field] = [.null, .undefined, .int(1), "text", [1, "x"]].randomElement(using: &generator)
                }
            }
            return WriteEntry(
                write: write, type: ["User", "Order"].randomElement(using: &generator) ?? "User",
                id: "\(Int.random(in: 0...12, using: &generator))", fields: fields)
        }
    }

    private func values(_ origin: Origin) -> [String: [String: Value]] {
        var result: [String: [String: Value]] = [:]
        let snapshot = origin.cache.snapshot()
        for type in snapshot.types {
            for record in snapshot.records(of: type) { result["\(type)/\(record.id)"] = record.values }
        }
        return result
    }

    @Test func `a batch leaves the same models as the same writes one by one, and replicas agree`() {
        forEachSeed(5_000) { _, generator in
            var batched = try Wire()
            try batched.becomeLive()
            var single = try Wire.makeOrigin()
            var writes = WriteBatch(limits: .default)
            for _ in 0..<4 {
                let entries = entries(using: &generator)
                writes.removeAll()
                for entry in entries { try writes.append(entry) }
                let outcome = try batched.origin.writeBatch(&writes, now: batched.now)
                var published = 0
                for entry in entries {
                    let result = try single.write(
                        entry.write, type: entry.type, id: entry.id, fields: try EncodedFields(entry.fields),
                        now: batched.now)
                    if result != .unchanged { published += 1 }
                }
                try #require(outcome.published == published)
                try #require(outcome.published + outcome.unchanged == entries.count)
                batched.flush()
                batched.deliverAll()
                try #require(values(batched.origin) == values(single))
                try #require(batched.areEqual)
            }
        }
    }

    @Test func `a model that grows past a frame is refused and the rest of its batch is not`() throws {
        var origin = try Wire.makeOrigin(limits: WireLimits(frameByteCount: 2_000))
        let moment = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        let fields = { (field: String) -> Fields in [field: .text(String(repeating: "x", count: 900))] }
        var writes = WriteBatch(limits: .default)
        try writes.append(.merge, type: "User", id: "1", fields: fields("a"))
        _ = try origin.writeBatch(&writes, now: moment)
        writes.removeAll()
        try writes.append(.merge, type: "User", id: "1", fields: fields("b"))
        try writes.append(.merge, type: "User", id: "2", fields: fields("a"))
        #expect(throws: WireError.self) { try origin.writeBatch(&writes, now: moment) }
        #expect(origin.cache["User", "1"]?["b"] == nil)
        #expect(origin.cache["User", "2"]?["a"] != nil)
    }

    @Test(arguments: [
        WriteEntry(write: .merge, type: "9 lives", id: "1", fields: ["a": 1]),
        WriteEntry(write: .merge, type: "User", id: "", fields: ["a": 1]),
        WriteEntry(write: .merge, type: "User", id: "a\u{0}b", fields: ["a": 1]),
        WriteEntry(write: .delete, type: "User", id: String(repeating: "i", count: 256), fields: [:]),
        WriteEntry(write: .merge, type: "User", id: "1", fields: ["": 1]),
        WriteEntry(write: .assign, type: "User", id: "1", fields: [String(repeating: "f", count: 129): 1]),
        WriteEntry(write: .merge, type: "User", id: "1", fields: ["a": .text(String(repeating: "x", count: 101))]),
        WriteEntry(write: .merge, type: "User", id: "1", fields: ["a": [[1]]]),
    ])
    func `a write that is refused leaves nothing in its batch, and says what the single write says`(
        _ bad: WriteEntry
    ) throws {
        let limits = WireLimits(valueByteCount: 100, depth: 1)
        var origin = try Wire.makeOrigin(limits: limits)
        let moment = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        var writes = WriteBatch(limits: limits)
        try writes.append(.merge, type: "User", id: "1", fields: ["good": 1])
        let batched = #expect(throws: WireError.self) { try writes.append(bad) }
        let single = #expect(throws: WireError.self) {
            try origin.write(
                bad.write, type: bad.type, id: bad.id, fields: try EncodedFields(bad.fields, limits: limits),
                now: moment)
        }
        #expect(batched?.description == single?.description)
        try writes.append(.merge, type: "User", id: "2", fields: ["good": 2])
        #expect(writes.count == 2)
        #expect(try origin.writeBatch(&writes, now: moment).published == 2)
        #expect(values(origin) == ["User/1": ["good": 1], "User/2": ["good": 2]])
    }
}
