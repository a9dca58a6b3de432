import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Writes that are handed over together do what they do one by one.
@Suite struct BatchTests {
    private func entries(using generator: inout SeededGenerator) throws -> [TransactionEntry] {
        try (0..<Int.random(in: 1...80, using: &generator)).map { _ in
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
            return TransactionEntry(
                write, type: ["User", "Order"].randomElement(using: &generator) ?? "User",
                id: "\(Int.random(in: 0...12, using: &generator))", fields: try EncodedFields(fields))
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
            for _ in 0..<4 {
                let entries = try entries(using: &generator)
                let outcome = try batched.origin.writeBatch(entries, now: batched.now)
                var published = 0
                for entry in entries {
                    let result = try single.write(
                        entry.write, type: entry.type, id: entry.id, fields: entry.fields, now: batched.now)
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
        func entry(_ id: String, _ field: String) throws -> TransactionEntry {
            TransactionEntry(
                .merge, type: "User", id: id,
                fields: try EncodedFields([field: .text(String(repeating: "x", count: 900))]))
        }
        _ = try origin.writeBatch([try entry("1", "a")], now: moment)
        #expect(throws: WireError.self) {
            try origin.writeBatch([try entry("1", "b"), try entry("2", "a")], now: moment)
        }
        #expect(origin.cache["User", "1"]?["b"] == nil)
        #expect(origin.cache["User", "2"]?["a"] != nil)
    }
}
