@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import Testing

@testable import ModelSync

/// Types without end, which stay in each copy that has met them.
struct TypeRoomTests {
    private static let lazy: CacheLimits = {
        var limits = CacheLimits()
        limits.prefetch = .none
        return limits
    }()

    /// Two relays that each hold a model of their own hundred types, and a copy with room for 64 types.
    private static func mesh() throws -> Mesh {
        var mesh = try Mesh(relays: 2, origins: 2)
        mesh.replica.origins.limits.types.countMax = 64
        for (index, relay) in mesh.relays.enumerated() {
            for number in 0..<100 {
                _ = try mesh.origins[index].write(
                    .merge, type: "T\(index)-\(number)", id: "1", fields: EncodedFields(["a": 1]), now: mesh.now)
            }
            mesh.origins[index].flush()
            for case .publish(let topic, let payload) in mesh.origins[index].takeActions() where topic.type != nil {
                try relay.take(topic, payload)
            }
        }
        return mesh
    }

    @Test func `types that heads and copies tell are followed up to a bound, and each sender has its part`() throws {
        var mesh = try TypeRoomTests.mesh()
        try mesh.connect()
        mesh.pass(milliseconds: 5_000)
        let types = mesh.replica.cache.types
        #expect(types.count == 64)
        for index in 0..<2 { #expect(types.count { $0.hasPrefix("T\(index)-") } == 32) }
        #expect(mesh.replica.counters[.refusedStreams] > 0)
        #expect(mesh.notices.count { $0.kind == .streamsRefused } == 1)
    }

    @Test func `records of types of which no head tells count as well`() throws {
        var wire = try Wire()
        wire.replica.origins.limits.types.countMax = 64
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        let record = try #require(wire.origin.cache["User", "1"])
        wire.answer = { request, _ in
            guard case .snapshot(let rid, _, _) = request else { return nil }
            return (0..<100).map { .records(rid: rid, type: "T\($0)", records: [record]) }
                + [.complete(rid: rid, heads: [])]
        }
        wire.replica.connected(wire.sender, now: wire.now)
        try wire.exchange()
        #expect(wire.replica.cache.types.count <= 64)
        #expect(wire.replica.cache["T0", "1"] != nil && wire.replica.cache["T99", "1"] == nil)
    }

    @Test func `a type that is known goes on when there is room for no more`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        try wire.becomeLive()
        wire.replica.origins.limits.types.countMax = 1
        try wire.write("User", "1", ["a": 2])
        try wire.write("Order", "1", ["a": 2])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache["User", "1"]?.values == ["a": 2])
        #expect(wire.replica.cache.types == ["User"])
    }

    @Test func `who asks a lazy copy for models of types without end makes a part of them`() throws {
        var wire = try Wire(modelLimits: TypeRoomTests.lazy)
        wire.replica.origins.limits.types.countMax = 64
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        try wire.becomeLive()
        for number in UInt64(0)..<100 {
            wire.replica.fetch(["1"], of: "T\(number)", token: number + 1, now: wire.now)
            try wire.exchange()
        }
        #expect(wire.fetched.count == 100 && wire.fetched.values.allSatisfy(\.isEmpty))
        #expect((0..<100).count { wire.replica.cache.knows("T\($0)") } == 8)
        wire.replica.fetch(["1"], of: "User", token: 999, now: wire.now)
        try wire.exchange()
        #expect(wire.fetched[999]?.map(\.values) == [["a": 1]])
    }
}
