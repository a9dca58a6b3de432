import ModelRecord
import ModelSync
import ModelWire
import Testing

/// How fresh a stream is, when it comes through a relay.
@Suite struct StalenessTests {
    private func mesh(relays: Int) throws -> Mesh {
        var mesh = try Mesh(relays: relays, origins: 1)
        try mesh.connect()
        try mesh.write(0, "User", "1", ["age": 1])
        mesh.pass(milliseconds: 500)
        return mesh
    }

    private func stream(_ mesh: Mesh) throws -> StreamStatus {
        try #require(mesh.replica.streamStatus(now: mesh.now).first { $0.origin == "origin-0" })
    }

    @Test func `a stream is stale when its relay has not heard of the origin, although the relay is live`() throws {
        var mesh = try mesh(relays: 1)
        let fresh = try stream(mesh).state
        #expect(fresh == .live)
        mesh.relays[0].ageMilliseconds = 2_000
        mesh.pass(milliseconds: 1_500)
        let stale = try stream(mesh)
        #expect(stale.state == .stale)
        #expect(stale.reason == "the relay has not heard of the origin")
        #expect(mesh.replica.state(of: mesh.senders[0]) == .live)
        mesh.relays[0].ageMilliseconds = 0
        mesh.pass(milliseconds: 1_500)
        let back = try stream(mesh)
        #expect(back.state == .live)
        #expect(back.longestStale > .seconds(1))
    }

    @Test func `that streams become stale and fresh again is told once, by origin`() throws {
        var mesh = try Mesh(relays: 1, origins: 40)
        try mesh.connect()
        for origin in 0..<40 {
            for type in ["User", "Order", "Event"] { try mesh.write(origin, type, "1", ["age": 1]) }
        }
        mesh.pass(milliseconds: 500)
        for _ in 0..<2 {
            mesh.notices = []
            mesh.relays[0].ageMilliseconds = 60_000
            mesh.pass(milliseconds: 5_000)
            let stale = mesh.notices.filter { $0.kind == .streamsStale }
            // Sixteen have a line of their own; the relay's heads came in one heartbeat.
            #expect(stale.count == 17)
            #expect(stale.first?.metadata["origin"] == "origin-0")
            #expect(stale.first?.metadata["streams"] == "3")
            #expect(stale.first?.metadata["reason"] == "the relay has not heard of the origin")
            #expect(stale.last?.metadata == ["origins": "24 more"])
            #expect(!mesh.notices.contains { $0.kind == .streamsFresh })
            mesh.notices = []
            mesh.relays[0].ageMilliseconds = 0
            mesh.pass(milliseconds: 5_000)
            let fresh = mesh.notices.filter { $0.kind == .streamsFresh }
            #expect(fresh.count == 17)
            #expect(fresh.first?.metadata["streams"] == "3")
            #expect(fresh.first?.metadata["stale_ms"] != nil)
        }
    }

    @Test func `a stream is as fresh as its freshest relay`() throws {
        var mesh = try mesh(relays: 2)
        mesh.relays[0].ageMilliseconds = .max
        mesh.pass(milliseconds: 1_000)
        let one = try stream(mesh).state
        #expect(one == .live)
        mesh.relays[1].ageMilliseconds = 60_000
        mesh.pass(milliseconds: 1_000)
        let both = try stream(mesh).state
        #expect(both == .stale)
    }

    @Test func `a stream whose senders are all gone is stale and goes on being told`() throws {
        var mesh = try mesh(relays: 2)
        mesh.silent = [0, 1]
        mesh.pass(milliseconds: 3_000)
        let status = try stream(mesh)
        #expect(status.state == .stale)
        #expect(status.lasted >= .seconds(1))
        #expect(status.applied == 1)
    }

    @Test func `a sender whose heads stand behind many batches is not taken for silent`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        for number in 0..<40 {
            try wire.write("User", "\(number)", ["age": 1])
            wire.flush()
            try wire.pass(milliseconds: 100)
            // Batches are read more slowly than they come; no heads have been reached in four seconds.
            let next = wire.stream.firstIndex { $0.topic.type != nil }
            wire.deliver(try #require(next))
        }
        let state = wire.replica.state(of: wire.sender)
        #expect(state == .live)
        #expect(wire.replica.counters[.senderTimeouts] == 0)
        #expect(wire.reconnects == 0)
        wire.deliverAll()
        #expect(wire.areEqual)
    }

    @Test func `a relay that starts from a store tells for how long it has heard of nobody`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay")
        network.connect(.relay(0), to: .origin(0))
        try network.write(0, "1", ["a": 1])
        network.run(milliseconds: 1_000)
        let old = network.relays[0]
        let positions = old.replica.positions
        #expect(!positions.isEmpty)
        let contact = try #require(old.replica.lastContact(now: network.now))
        network.run(milliseconds: 60_000)
        let relay = try RelayMachine(
            configuration: old.configuration, cache: old.cache, now: network.now, seed: 1, lastAlive: contact)
        relay.restore(positions, now: network.now)
        let hello = ControlRequest.hello(rid: 1, version: 1, name: "x", prefixes: [])
        relay.receive(hello.encode().span, from: [1], now: network.now)
        var ages: [UInt64?] = []
        for case .reply(_, let payload) in relay.takeActions() {
            let reply = try ControlReply(decoding: payload.span, limits: .default)
            guard case .welcome(_, _, _, _, _, _, let heads, _) = reply else { continue }
            ages += heads.filter { $0.origin == "origin" }.map(\.ageMilliseconds)
        }
        #expect(ages.count == 1)
        #expect(ages.allSatisfy { $0 ?? 0 >= 60_000 })
    }
}
