import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

@Suite struct TransactionTests {
    private func writes(_ value: Int64) throws -> WriteBatch {
        var writes = WriteBatch(limits: .default)
        for type in ["Account", "Audit", "Balance"] {
            try writes.append(.merge, type: type, id: "1", fields: ["n": .int(value)])
        }
        return writes
    }

    @Test func `a transaction over several topics becomes visible when its last part is here`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        _ = try wire.origin.transaction(try writes(1), now: wire.now)
        wire.flush()
        #expect(wire.stream.count == 3)
        wire.deliver(2)
        wire.deliver(0)
        #expect(wire.replica.cache.types.allSatisfy { wire.replica.cache.count(of: $0) == 0 })
        wire.deliver(0)
        #expect(["Account", "Audit", "Balance"].allSatisfy { wire.replica.cache[$0, "1"]?["n"] == 1 })
        #expect(wire.areEqual)
    }

    @Test func `a subscriber of some of the topics sees its part at once`() throws {
        var wire = try Wire(prefixes: [Array("m/Account/".utf8)])
        try wire.becomeLive()
        _ = try wire.origin.transaction(try writes(1), now: wire.now)
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache["Account", "1"]?["n"] == 1)
    }

    @Test func `a part that was lost is not waited for after its topic was repaired`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        _ = try wire.origin.transaction(try writes(1), now: wire.now)
        wire.flush()
        wire.stream.remove(at: 1)
        wire.deliverAll()
        try wire.pass(milliseconds: 600)
        wire.deliverAll()
        try wire.pass(milliseconds: 300)
        #expect(["Account", "Audit", "Balance"].allSatisfy { wire.replica.cache[$0, "1"]?["n"] == 1 })
        #expect(wire.areEqual)
    }

    @Test func `all writes of a transaction are one step of the origin's own copy`() throws {
        var wire = try Wire()
        let before = wire.origin.cache.snapshot()
        _ = try wire.origin.transaction(try writes(1), now: wire.now)
        let after = wire.origin.cache.snapshot()
        #expect(after.commitNumber == before.commitNumber + 1)
        #expect(before["Account", "1"] == nil)
        #expect(after["Balance", "1"]?["n"] == 1)
    }

    @Test func `a model that does not fit anywhere in a transaction changes nothing`() throws {
        var origin = try Wire.makeOrigin(limits: WireLimits(frameByteCount: 2_000))
        var bad = try writes(1)
        try bad.append(.merge, type: "User", id: "1", fields: ["a": .text(String(repeating: "x", count: 1_900))])
        let moment = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        #expect(throws: WireError.self) { _ = try origin.transaction(bad, now: moment) }
        #expect(origin.cache.types.allSatisfy { origin.cache.count(of: $0) == 0 })
        #expect(!origin.hasOpenBatch)
    }

    @Test func `a transaction that changes nothing sends nothing`() throws {
        var wire = try Wire()
        _ = try wire.origin.transaction(try writes(1), now: wire.now)
        let outcome = try wire.origin.transaction(try writes(1), now: wire.now)
        #expect(outcome == .unchanged)
    }
}
