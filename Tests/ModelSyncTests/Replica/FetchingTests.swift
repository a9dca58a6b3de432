@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// A copy with limits, and the models that come back into it.
struct FetchingTests {
    /// A live copy with room for one model beside the pinned `keep`, of which `1` has left with its fields `a` and `b`.
    private static func wire(tombstoneRetention: Duration = .seconds(24 * 3600)) throws -> Wire {
        var wire = try Wire(
            tombstoneRetention: tombstoneRetention,
            modelLimits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        wire.replica.cache.setPinned(true, type: "User", id: "keep")
        try wire.write("User", "1", ["a": 1, "b": 1])
        try wire.write("User", "keep", ["a": 1])
        wire.flush()
        try wire.becomeLive()
        try wire.pass(milliseconds: 100)
        try #require(wire.replica.cache.presence(of: "User", "1") == .evicted)
        return wire
    }

    /// Has the sender answer fetches from now on as it would have before a batch, which this copy has passed over.
    private static func lag(_ wire: inout Wire, behind fields: Fields) throws {
        let former = try wire.ask(.fetch(rid: 999, type: "User", ids: ["1"]))
        try wire.write("User", "1", fields)
        wire.flush()
        wire.deliverAll()
        wire.answer = { request, _ in
            guard case .fetch(let rid, let type, _) = request else { return nil }
            return [.records(rid: rid, type: type, records: former.records), .complete(rid: rid, heads: former.heads)]
        }
    }

    @Test func `a fetched model has what was written while it was away`() throws {
        var wire = try FetchingTests.wire()
        try wire.write("User", "1", ["a": 2])
        try wire.write("User", "1", ["c": 3])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache["User", "1"] == nil)
        wire.replica.fetch(["1"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[7]?.map(\.values) == [["a": 2, "b": 1, "c": 3]])
        #expect(wire.replica.counters[.modelsFetched] == 1)
    }

    @Test func `an answer of a start that is followed on one topic only shows no half of a transaction`() throws {
        var wire = try FetchingTests.wire()
        try wire.write("Order", "1", ["a": 1])
        wire.flush()
        wire.deliverAll()
        // Its batches die with the start, and the next one has what they wrote.
        var writes = WriteBatch(limits: .default)
        for (type, id) in [("User", "1"), ("User", "keep"), ("Order", "1")] {
            try writes.append(.merge, type: type, id: id, fields: ["a": 2])
        }
        _ = try wire.origin.transaction(writes, now: wire.now)
        wire.flush()
        wire.stream.removeAll()
        wire.time += 10_000
        wire.origin = try Origin(
            configuration: OriginConfiguration(name: "origin", streamEndpoint: "memory"), cache: wire.origin.cache,
            now: wire.now, after: wire.origin.incarnation)
        try wire.write("Order", "2", ["a": 1])
        wire.flush()
        while wire.stream.contains(where: { $0.topic.type == "Order" }) {
            let index = try #require(wire.stream.firstIndex { $0.topic.type == "Order" })
            wire.deliver(index)
        }
        wire.replica.fetch(["1"], of: "User", token: 7, now: wire.now)
        for _ in 0..<400 {
            try wire.exchange()
            if wire.fetched[7] != nil { #expect(wire.replica.cache["User", "keep"]?["a"] == 2) }
            try wire.pass(milliseconds: 5)
        }
        #expect(wire.fetched[7]?.map { $0["a"] } == [2])
        #expect(wire.replica.cache["User", "keep"]?["a"] == 2 && wire.replica.cache["Order", "1"]?["a"] == 2)
    }

    @Test func `what is written while the answer is on its way is in the fetched model`() throws {
        var wire = try FetchingTests.wire()
        wire.holdsReplies = true
        wire.replica.fetch(["1"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        try wire.write("User", "1", ["a": 2])
        wire.flush()
        wire.deliverAll()
        while !wire.heldReplies.isEmpty { wire.deliverReply() }
        try wire.exchange()
        #expect(wire.fetched[7]?.map(\.values) == [["a": 2, "b": 1]])
    }

    @Test func `an answer from a copy that lags behind this one is not taken for whole`() throws {
        var wire = try FetchingTests.wire()
        try FetchingTests.lag(&wire, behind: ["a": 2])
        wire.replica.fetch(["1"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        try wire.pass(milliseconds: 500)
        #expect(wire.fetched.isEmpty)
        #expect(wire.replica.cache["User", "1"] == nil)
        wire.answer = nil
        try wire.pass(milliseconds: 500)
        #expect(wire.fetched[7]?.map(\.values) == [["a": 2, "b": 1]])
    }

    @Test func `what no sender has come to is waited for once, and not by each fetch`() throws {
        var wire = try FetchingTests.wire()
        try FetchingTests.lag(&wire, behind: ["a": 2])
        wire.replica.fetch(["1"], of: "User", token: 1, now: wire.now)
        try wire.live(milliseconds: 4_000)
        #expect(wire.fetched.isEmpty)
        try wire.live(milliseconds: 3_000)
        #expect(wire.fetched[1]?.map(\.values) == [["a": 1, "b": 1]])
        try wire.pass(milliseconds: 100)
        wire.replica.fetch(["1"], of: "User", token: 2, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[2] != nil)
        // A batch that comes since is waited for, as is all where a sender has come.
        try wire.write("User", "1", ["a": 3])
        wire.flush()
        wire.deliverAll()
        try wire.pass(milliseconds: 100)
        wire.replica.fetch(["1"], of: "User", token: 3, now: wire.now)
        try wire.live(milliseconds: 2_000)
        #expect(wire.fetched[3] == nil)
        wire.answer = nil
        try wire.live(milliseconds: 2_000)
        #expect(wire.fetched[3]?.map(\.values) == [["a": 3, "b": 1]])
    }

    @Test func `requests of several askers for one model become one`() throws {
        var wire = try FetchingTests.wire()
        wire.holdsReplies = true
        for token in UInt64(1)...5 { wire.replica.fetch(["1"], of: "User", token: token, now: wire.now) }
        try wire.exchange()
        let asked = wire.requests.compactMap { if case .fetch(_, _, let ids) = $0 { ids } else { nil } }
        #expect(asked.count { $0 == ["1"] } == 1)
        while !wire.heldReplies.isEmpty { wire.deliverReply() }
        try wire.exchange()
        #expect(wire.fetched.count == 5)
        #expect(wire.fetched.values.allSatisfy { $0.count == 1 })
    }

    @Test func `a model that was deleted while it was away does not exist`() throws {
        var wire = try FetchingTests.wire()
        try wire.write("User", "1", as: .delete)
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache.presence(of: "User", "1") == .absent)
        wire.replica.fetch(["1", "never"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[7]?.isEmpty ?? false)
        #expect(wire.replica.cache.presence(of: "User", "1") == .absent)
        #expect(wire.replica.cache.presence(of: "User", "never") == .absent)
    }

    @Test func `nobody is waited for who waits no more, and the owner learns whom was asked`() throws {
        var wire = try FetchingTests.wire()
        wire.answer = { request, _ in if case .fetch = request { [] } else { nil } }
        wire.replica.fetch(["1"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        #expect(wire.replica.cancelFetch(7) == ["origin has not answered"])
        #expect(wire.replica.cancelFetch(7) == nil)
        wire.answer = nil
        try wire.pass(milliseconds: 5_000)
        #expect(wire.fetched.isEmpty)
        #expect(wire.replica.brokenInvariant() == nil)
    }

    @Test func `what is too large for one answer is asked for in parts`() throws {
        var wire = try FetchingTests.wire()
        let text = Value.text(String(repeating: "x", count: 200_000))
        for number in 10..<42 { try wire.write("User", "\(number)", ["a": text]) }
        wire.flush()
        wire.deliverAll()
        try wire.pass(milliseconds: 100)
        let ids = (10..<42).map(String.init)
        wire.replica.fetch(ids, of: "User", token: 7, now: wire.now)
        try wire.exchange()
        try wire.pass(milliseconds: 2_000)
        #expect(wire.fetched[7]?.count == 32)
        #expect(wire.replica.cache.count(of: "User") <= 1)
    }

    @Test func `a model that is held and was damaged without a hole is mended by the comparison of what is held`()
        throws
    {
        var wire = try FetchingTests.wire()
        try wire.live(milliseconds: 20_000)
        let former = try #require(wire.replica.cache["User", "keep"])
        try wire.write("User", "keep", ["b": 2])
        wire.flush()
        wire.deliverAll()
        try wire.live(milliseconds: 20_000)
        // A write is lost, as no correct replica loses it.
        wire.replica.cache.commit { $0.overwrite(type: "User", id: "keep", with: former) }
        try wire.live(milliseconds: 5_000)
        #expect(wire.replica.cache["User", "keep"]?.values == ["a": 1, "b": 2])
        #expect(wire.replica.counters[.digestMismatches] == 1)
        #expect(wire.notices.contains { $0.kind == .digestMismatch && $0.metadata["models"] == "1" })
    }

    @Test func `digests are not compared of a type of which models have left, and are again when all are back`() throws
    {
        var wire = try FetchingTests.wire()
        try wire.live(milliseconds: 10_000)
        #expect(wire.replica.counters[.digestAudits] == 0)
        #expect(wire.replica.counters[.digestMismatches] == 0)
        wire.replica.cache.setLimits(CacheLimits(types: ["User": ModelLimits(count: .max)]))
        wire.replica.fetch(["1"], of: "User", token: 1, now: wire.now)
        try wire.exchange()
        #expect(wire.areEqual)
        #expect(!wire.replica.cache.hasEvicted("User"))
    }
}
