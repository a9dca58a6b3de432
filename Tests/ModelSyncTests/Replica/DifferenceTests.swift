@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// Copies that differ although no sequence is missing, and repairs that only one of several senders can serve.
@Suite struct DifferenceTests {
    /// A batch that reaches a cache by no stream.
    private func slip(
        _ id: String, _ age: Int64, origin: String, at milliseconds: UInt64, into cache: ModelCache
    ) throws {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: milliseconds << 16, id: id, fields: ["age": .int(age)])
        let frame = writer.finish(origin: origin, incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        cache.commit(decoder.batch(in: frame.span), type: "User")
    }

    @Test func `a relay keeps what only it holds, and gives up what its origin cannot have written`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay")
        network.connect(.relay(0), to: .origin(0))
        for id in 0..<10 { try network.write(0, "\(id)", ["age": .int(Int64(id))]) }
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        let (relay, now) = (network.relays[0], network.now.wallMilliseconds)
        try slip("lost", 1, origin: "lost", at: now - 1_000, into: relay.cache)
        try slip("7", 700, origin: "origin", at: now + 200_000, into: relay.cache)
        network.run(milliseconds: 30_000)
        #expect(relay.replica.counters[.irreparableDifferences] > 0)
        #expect(relay.replica.counters[.renewals] == 0)
        #expect(relay.cache["User", "lost"]?["age"] == 1)
        #expect(relay.cache["User", "7"]?["age"] == 7)
    }

    @Test func `what a restored origin holds reaches a replica whose relay had served it before`() throws {
        var network = RelayNetwork()
        let stored = ModelCache()
        for id in 0..<10 { try slip("\(id)", 1, origin: "origin", at: 1_799_999_000_000, into: stored) }
        network.origins.append(
            try Origin(
                configuration: OriginConfiguration(name: "origin", streamEndpoint: "memory"), cache: stored,
                now: network.now))
        network.dead = [.origin(0)]
        try network.addRelay("relay")
        network.addReplica()
        network.connect(.relay(0), to: .origin(0))
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 30_000)
        #expect(network.replicas[0].senderStatus(now: network.now).allSatisfy { $0.state == .live })
        network.dead = []
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        #expect(network.replicas[0].cache.count(of: "User") == 10)
        let audits = network.replicas[0].counters[.digestAudits]
        network.run(milliseconds: 120_000)
        #expect(network.replicas[0].counters[.digestAudits] == audits)
    }

    @Test func `a relay speaks for an origin that has sent nothing`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay-0")
        try network.addRelay("relay-1")
        network.connect(.relay(0), to: .origin(0))
        network.connect(.relay(1), to: .relay(0))
        network.run(milliseconds: 5_000)
        for relay in 0..<2 {
            let replies = network.ask(.relay(relay), .hello(rid: 1, version: 1, name: "test", prefixes: [.dataPrefix]))
            guard case .welcome(_, _, _, _, _, _, let heads, _)? = replies.first else {
                Issue.record("no welcome but \(replies)")
                continue
            }
            // Not for the other relay, which is no origin.
            #expect(heads.map(\.origin) == ["origin"])
            #expect(heads.first?.incarnation == network.origins[0].incarnation)
            #expect(heads.first?.heads.isEmpty ?? false)
        }
    }

    @Test(arguments: [false, true])
    func `a repair asks the sender that has told the head, whoever spoke last`(isGone: Bool) throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        try mesh.connect()
        try mesh.write(0, "User", "0", ["age": 0])
        try mesh.write(0, "User", "1", ["age": 1], to: [0], via: [])
        if isGone { mesh.relays[0].ring = [:] }
        mesh.pass(milliseconds: 1_000)
        #expect(mesh.replica.cache["User", "1"]?["age"] == 1)
        let isAsked = mesh.relays[1].requests.contains { if case .replay = $0 { true } else { false } }
        #expect(!isAsked || isGone)
        #expect(mesh.senders.allSatisfy { mesh.replica.state(of: $0) == .live })
    }

    @Test func `a topic that is first heard of after its origin's restart is taken whole`() throws {
        var mesh = try Mesh(relays: 1, origins: 1)
        try mesh.connect()
        try mesh.write(0, "User", "0", ["age": 0])
        mesh.pass(milliseconds: 1_000)
        let topic = Topic.data(type: "Order")
        let stream = FakeRelay.Stream(
            origin: "origin-0", incarnation: mesh.origins[0].incarnation + 1, topic: topic)
        mesh.relays[0].heads = [stream: 0]
        mesh.pass(milliseconds: 1_000)
        let prefixes = mesh.relays[0].requests.compactMap { request -> [Topic]? in
            if case .snapshot(_, let prefixes, _) = request { prefixes } else { nil }
        }
        #expect(prefixes.contains([topic]))
        #expect(mesh.senders.allSatisfy { mesh.replica.state(of: $0) == .live })
    }
}
