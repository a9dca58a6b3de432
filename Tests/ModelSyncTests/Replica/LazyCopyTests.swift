@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// A copy that takes nothing by itself.
struct LazyCopyTests {
    private static let lazy: CacheLimits = {
        var limits = CacheLimits()
        limits.prefetch = .none
        return limits
    }()

    private static let ids: CacheLimits = {
        var limits = lazy
        limits.prefetch = .ids
        return limits
    }()

    /// A live copy that holds `1` and the pinned `keep` of three models.
    private static func wire(
        _ limits: CacheLimits = lazy, tombstoneRetention: Duration = .seconds(24 * 3600)
    ) throws -> Wire {
        var wire = try Wire(replayByteCount: 0, tombstoneRetention: tombstoneRetention, modelLimits: limits)
        for id in ["1", "2", "keep"] { try wire.write("User", id, ["a": 1]) }
        wire.flush()
        try wire.becomeLive()
        wire.replica.cache.setPinned(true, type: "User", id: "keep")
        wire.replica.fetch(["1", "keep"], of: "User", token: 1, now: wire.now)
        try wire.exchange()
        try #require(wire.fetched[1]?.count == 2)
        return wire
    }

    /// Brings the copy back to its sender when nobody remembers any more what was deleted while it was cut off.
    private static func returnAfterLongAbsence(_ wire: inout Wire) throws {
        wire.flush()
        wire.stream = []
        try wire.pass(milliseconds: 60_000)
        wire.stream = []
        wire.origin.cache.dropTombstones(of: "User", olderThan: .max)
        try wire.becomeLive()
        try wire.live(milliseconds: 5_000)
        #expect(wire.replica.counters[.renewals] == 1)
    }

    /// Lets the sender answer as one that takes a request for heads or ids for one of a whole snapshot.
    private static func answerWithWholeRecords(_ wire: inout Wire, count: Int) throws {
        let snapshot = ControlRequest.snapshot(rid: 999, prefixes: [Topic(bytes: Array("m/".utf8))], credit: 16)
        let answer = try wire.ask(snapshot)
        try #require(answer.records.count == count)
        wire.answer = { [answer] request, _ in
            switch request {
            case .heads(let rid, _, _), .ids(let rid, _, _):
                [.records(rid: rid, type: "User", records: answer.records), .complete(rid: rid, heads: answer.heads)]
            default: nil
            }
        }
    }

    @Test func `a start takes the heads of its senders and no record`() throws {
        var wire = try Wire(modelLimits: LazyCopyTests.lazy)
        for number in 0..<100 { try wire.write("User", "\(number)", ["a": 1]) }
        wire.flush()
        try wire.becomeLive()
        #expect(wire.snapshotCount == 0 && wire.requests.contains { if case .heads = $0 { true } else { false } })
        #expect(wire.replica.counters[.snapshotRecords] == 0 && wire.replica.cache.count(of: "User") == 0)
        let streams = wire.replica.streamStatus(now: wire.now)
        #expect(!streams.isEmpty && streams.allSatisfy { $0.missing == 0 && $0.applied == $0.head })
        #expect(wire.replica.cache.presence(of: "User", "5") == .evicted)
        #expect(wire.replica.cache.presence(of: "Unheard", "5") == .evicted)
    }

    @Test func `a sender that does not know how to tell its heads alone makes no model come`() throws {
        var wire = try Wire(modelLimits: LazyCopyTests.lazy)
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        try LazyCopyTests.answerWithWholeRecords(&wire, count: 1)
        try wire.becomeLive()
        #expect(wire.replica.cache.count(of: "User") == 0)
        #expect(wire.replica.cache.presence(of: "User", "1") == .evicted)
    }

    @Test func `batches change what is held, and make nothing else`() throws {
        var wire = try LazyCopyTests.wire()
        for id in ["1", "2", "3"] { try wire.write("User", id, ["b": 2]) }
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache["User", "1"]?.values == ["a": 1, "b": 2])
        #expect(wire.replica.cache.count(of: "User") == 2)
        wire.replica.fetch(["2", "3"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[7]?.map(\.values) == [["a": 1, "b": 2], ["b": 2]])
    }

    @Test func `what was held when batches were lost for good is compared at once, and mended`() throws {
        var wire = try LazyCopyTests.wire()
        try wire.write("User", "1", ["a": 2])
        try wire.write("User", "keep", as: .delete)
        wire.flush()
        wire.stream = []
        try wire.write("Order", "1", ["a": 1])
        wire.flush()
        wire.deliverAll()
        try wire.live(milliseconds: 5_000)
        // Replays are gone, so the heads were taken, which have no records.
        #expect(wire.replica.counters[.replaysRequested] > 0 && wire.snapshotCount == 0)
        #expect(wire.replica.cache["User", "1"]?.values == ["a": 2])
        #expect(wire.replica.cache.presence(of: "User", "keep") == .absent)
    }

    @Test func `a model that was seen deleted, and written again by a batch that is lost for good, is no half`() throws
    {
        var wire = try LazyCopyTests.wire()
        try wire.write("User", "1", as: .delete)
        wire.flush()
        wire.deliverAll()
        try wire.write("User", "1", ["a": 2])
        wire.flush()
        wire.stream = []
        try wire.live(milliseconds: 5_000)
        try wire.write("User", "1", ["b": 3])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache["User", "1"] == nil && wire.replica.cache.presence(of: "User", "1") == .evicted)
        wire.replica.fetch(["1"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[7]?.map(\.values) == [["a": 2, "b": 3]])
    }

    @Test func `a batch that changes what is held accuses nobody who told of it without its records`() throws {
        var mesh = try Mesh(relays: 2, origins: 1, modelLimits: LazyCopyTests.lazy)
        try mesh.write(0, "User", "1", ["a": 1])
        try mesh.connect()
        mesh.replica.fetch(["1"], of: "User", token: 1, now: mesh.now)
        mesh.exchange()
        try #require(mesh.fetched[1]?.count == 1)
        // One comes back and tells of a batch whose records it does not bring; then the batch comes from the other.
        for relay in mesh.relays {
            relay.answer = { request in if case .fetch = request { [] } else { nil } }
        }
        try mesh.write(0, "User", "1", ["a": 2], via: [])
        mesh.replica.disconnected(mesh.senders[0], reason: "cut", now: mesh.now)
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.exchange()
        let batches = mesh.relays[1].ring.values.first
        let batch = try #require(batches?[2])
        mesh.replica.receiveStream(
            mesh.senders[1], topic: Topic.data(type: "User").bytes.span, payload: batch.span, now: mesh.now)
        #expect(mesh.replica.cache["User", "1"]?.values == ["a": 2])
        #expect(mesh.replica.counters[.contradictedHeads] == 0)
    }

    @Test func `a fetch that is under way when batches are lost for good begins anew`() throws {
        var wire = try LazyCopyTests.wire()
        wire.holdsReplies = true
        wire.replica.fetch(["2"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        let early = wire.heldReplies
        wire.heldReplies = []
        wire.holdsReplies = false
        try wire.write("User", "2", ["a": 2])
        wire.flush()
        wire.stream = []
        try wire.live(milliseconds: 3_000)
        for reply in early { wire.replica.receiveControl(wire.sender, reply.span, now: wire.now) }
        try wire.live(milliseconds: 3_000)
        #expect(wire.fetched[7]?.map(\.values) == [["a": 2]])
    }

    @Test func `after an absence that is longer than deletes are remembered nothing deleted is shown`() throws {
        var wire = try LazyCopyTests.wire(tombstoneRetention: .seconds(10))
        wire.replica.cache.setPinned(true, type: "User", id: "2")
        wire.replica.fetch(["2"], of: "User", token: 2, now: wire.now)
        try wire.exchange()
        wire.replica.disconnected(wire.sender, reason: "cut", now: wire.now)
        for id in ["1", "2"] { try wire.write("User", id, as: .delete) }
        try wire.write("User", "keep", ["a": 2])
        try LazyCopyTests.returnAfterLongAbsence(&wire)
        #expect(wire.replica.cache["User", "1"] == nil && wire.replica.cache["User", "2"] == nil)
        #expect(wire.replica.cache["User", "keep"]?.values == ["a": 2])
    }

    @Test func `a delete is remembered for as long as others remember theirs`() throws {
        var wire = try LazyCopyTests.wire()
        try wire.write("User", "2", as: .delete)
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache.presence(of: "User", "2") == .absent)
        try wire.write("User", "2", ["a": 5])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache.presence(of: "User", "2") == .evicted)
        wire.replica.fetch(["2"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[7]?.map(\.values) == [["a": 5]])
    }

    // MARK: The ids

    private static func knownIDs(_ wire: Wire) -> [String] { wire.replica.cache.ids(of: "User").sorted() }

    @Test func `a copy of the ids knows which models there are, and holds none that was not asked for`() throws {
        var wire = try LazyCopyTests.wire(LazyCopyTests.ids)
        #expect(wire.snapshotCount == 0 && wire.requests.contains { if case .ids = $0 { true } else { false } })
        #expect(LazyCopyTests.knownIDs(wire) == ["1", "2", "keep"])
        #expect(wire.replica.cache.count(of: "User") == 2 && wire.replica.cache.evictedCount(of: "User") == 1)
        #expect(wire.replica.cache.presence(of: "User", "nobody") == .absent)
        #expect(wire.replica.cache.presence(of: "Unheard", "1") == .absent)
        try wire.write("User", "late", ["a": 1])
        try wire.write("User", "2", as: .delete)
        try wire.write("User", "1", as: .delete)
        wire.flush()
        wire.deliverAll()
        #expect(LazyCopyTests.knownIDs(wire) == ["keep", "late"])
        #expect(wire.replica.cache.presence(of: "User", "late") == .evicted)
        #expect(wire.replica.cache.presence(of: "User", "2") == .absent)
        wire.replica.fetch(["late", "2"], of: "User", token: 7, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[7]?.map(\.values) == [["a": 1]])
        #expect(LazyCopyTests.knownIDs(wire) == ["keep", "late"])
    }

    @Test func `records without fields change nothing of a model that is held`() throws {
        var wire = try LazyCopyTests.wire(LazyCopyTests.ids)
        let request = ControlRequest.ids(rid: 999, prefixes: [Topic(bytes: Array("m/".utf8))], credit: 16)
        let answer = try wire.ask(request)
        #expect(answer.records.map(\.id).sorted() == ["1", "2", "keep"])
        #expect(answer.records.allSatisfy { $0.exists && $0.cellCount == 0 })
        wire.replica.cache.commit { commit in commit.noteIDs(answer.records, type: "User") }
        #expect(wire.replica.cache["User", "1"]?.values == ["a": 1])
    }

    @Test func `a sender that knows of no ids makes no model come, and its ids are taken all the same`() throws {
        var wire = try Wire(modelLimits: LazyCopyTests.ids)
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        try LazyCopyTests.answerWithWholeRecords(&wire, count: 1)
        try wire.becomeLive()
        #expect(wire.replica.cache.count(of: "User") == 0)
        #expect(LazyCopyTests.knownIDs(wire) == ["1"])
    }

    @Test func `ids that were lost with their batches come with the next copy of a sender`() throws {
        var wire = try LazyCopyTests.wire(LazyCopyTests.ids)
        try wire.write("User", "lost", ["a": 2])
        try wire.write("User", "2", as: .delete)
        try wire.write("User", "1", as: .delete)
        try wire.write("User", "1", ["b": 3])
        wire.flush()
        wire.stream = []
        try wire.write("Order", "1", ["a": 1])
        wire.flush()
        wire.deliverAll()
        try wire.live(milliseconds: 5_000)
        #expect(LazyCopyTests.knownIDs(wire) == ["1", "keep", "lost"])
        #expect(wire.replica.cache["User", "1"]?.values == ["b": 3])
        #expect(wire.replica.cache.ids(of: "Order") == ["1"])
    }

    @Test func `a model that was seen deleted, and written again by a lost batch, is known`() throws {
        var wire = try LazyCopyTests.wire(LazyCopyTests.ids)
        try wire.write("User", "1", as: .delete)
        wire.flush()
        wire.deliverAll()
        #expect(LazyCopyTests.knownIDs(wire) == ["2", "keep"])
        try wire.write("User", "1", ["a": 2])
        wire.flush()
        wire.stream = []
        try wire.live(milliseconds: 5_000)
        #expect(LazyCopyTests.knownIDs(wire) == ["1", "2", "keep"])
        #expect(wire.replica.cache.presence(of: "User", "1") == .evicted)
    }

    @Test func `after a long absence ids that are gone are gone, and late ones stay`() throws {
        var wire = try LazyCopyTests.wire(LazyCopyTests.ids, tombstoneRetention: .seconds(10))
        wire.replica.disconnected(wire.sender, reason: "cut", now: wire.now)
        for id in ["1", "2"] { try wire.write("User", id, as: .delete) }
        try wire.write("User", "new", ["a": 2])
        try LazyCopyTests.returnAfterLongAbsence(&wire)
        #expect(LazyCopyTests.knownIDs(wire) == ["keep", "new"])
        try wire.write("User", "2", ["a": 5])
        wire.flush()
        wire.deliverAll()
        #expect(LazyCopyTests.knownIDs(wire) == ["2", "keep", "new"])
    }

    @Test func `until all senders have told their ids once any model may exist`() throws {
        var wire = try Wire(modelLimits: LazyCopyTests.ids)
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        #expect(wire.replica.cache.presence(of: "User", "1") == .evicted)
        #expect(wire.replica.cache.presence(of: "User", "nobody") == .evicted)
        let other = wire.replica.addSender()
        try wire.becomeLive()
        #expect(wire.replica.state(of: other) != .live)
        #expect(wire.replica.cache.presence(of: "User", "nobody") == .evicted)
        var alone = try LazyCopyTests.wire(LazyCopyTests.ids)
        #expect(alone.replica.cache.presence(of: "User", "nobody") == .absent)
        // What is known stays known, whoever goes.
        alone.replica.disconnected(alone.sender, reason: "cut", now: alone.now)
        try alone.pass(milliseconds: 5_000)
        #expect(alone.replica.cache.presence(of: "User", "nobody") == .absent)
        #expect(alone.replica.cache.presence(of: "User", "2") == .evicted)
    }

    @Test
    func `a model that is known, and that none of those that are live has, is not taken for one that does not exist`()
        throws
    {
        var wire = try LazyCopyTests.wire(LazyCopyTests.ids)
        // As a second sender has told it that is away now.
        _ = wire.replica.addSender()
        var writer = BatchWriter()
        try writer.append(.merge, stamp: 1 << 16, id: "elsewhere", fields: ["a": 1])
        try wire.replica.cache.commit(writer, type: "User")
        #expect(wire.replica.cache.presence(of: "User", "elsewhere") == .evicted)
        wire.replica.fetch(["elsewhere"], of: "User", token: 7, now: wire.now)
        try wire.live(milliseconds: 40_000)
        #expect(wire.fetched[7]?.isEmpty ?? false)
        #expect(wire.replica.cache.presence(of: "User", "elsewhere") == .evicted)
    }

    @Test func `records that come where none were asked for are passed over, deletes as well`() throws {
        var wire = try Wire(modelLimits: LazyCopyTests.lazy)
        for id in ["1", "2"] { try wire.write("User", id, ["a": 1]) }
        try wire.write("User", "2", as: .delete)
        wire.flush()
        try LazyCopyTests.answerWithWholeRecords(&wire, count: 2)
        try wire.becomeLive()
        #expect(wire.replica.cache.tombstoneCount(of: "User") == 0)
        #expect(wire.replica.cache.presence(of: "User", "2") == .evicted)
    }
}
