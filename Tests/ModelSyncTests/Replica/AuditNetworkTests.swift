@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// A difference at equal heads, with real publishers and relays as senders: what they tell, and when.
@Suite struct AuditNetworkTests {
    /// One publisher of a type with sixteen topics, behind so many relays, and a replica.
    private func network(relays: Int) throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin") { $0.partitions = .sixteen }
        var server = RelayNetwork.Server.origin(0)
        for index in 0..<relays {
            try network.addRelay("relay-\(index)")
            network.connect(.relay(index), to: server)
            server = .relay(index)
        }
        network.addReplica()
        network.connect(.replica(0), to: server)
        for id in 0..<200 { try network.write(0, "\(id)", ["age": 1]) }
        // A full list of heads goes out at every fifth second: the next is four seconds away.
        network.run(milliseconds: 10_700)
        return network
    }

    private func partition(_ id: String) -> Int { Fingerprint.bucket(idHash: Fingerprint.fnv(id)) >> 4 }

    /// Two heartbeats pass, in which one other topic is never at rest.
    private func passTwoHeartbeats(_ network: inout RelayNetwork, beside id: String) throws {
        let busy = (0..<200).map(String.init).first { partition($0) != partition(id) } ?? ""
        for round in 0..<11 {
            try network.write(0, busy, ["age": .int(Int64(1_000 + round))])
            network.run(milliseconds: 95)
        }
    }

    /// Everybody holds a newer value of one model, but for the replica, where the older one is back.
    private func setBackModel7(_ network: inout RelayNetwork) throws {
        let cache = network.replicas[0].cache
        let before = try #require(cache.record(type: "User", id: "7", includingTombstones: true))
        try network.write(0, "7", ["age": 2])
        network.run(milliseconds: 1_000)
        #expect(cache["User", "7"]?["age"] == 2)
        cache.commit { $0.overwrite(type: "User", id: "7", with: before) }
        #expect(cache["User", "7"]?["age"] == 1)
    }

    /// The model is as it should be already, and the account tells of one difference that was mended from its bucket.
    private func expectOneDifferenceMended(_ network: inout RelayNetwork) {
        let replica = network.replicas[0]
        #expect(replica.counters[.digestMismatches] == 1)
        #expect(replica.cache["User", "7"]?["age"] == 2)
        let isSettled = network.settle(within: 2_000)
        #expect(isSettled)
        let streams = replica.streamStatus(now: network.now)
        #expect(streams.reduce(0) { $0 + $1.holesFound } == 1)
        #expect(streams.reduce(0) { $0 + ($1.holesMended[.buckets] ?? 0) } == 1)
    }

    @Test(arguments: [0, 1, 2])
    func `a cell that goes back to an older value here is found within two heartbeats and mended`(relays: Int) throws {
        var network = try network(relays: relays)
        let replica = network.replicas[0]
        try setBackModel7(&network)
        try passTwoHeartbeats(&network, beside: "7")
        #expect(replica.counters[.bucketsFetched] == 1)
        expectOneDifferenceMended(&network)
    }

    @Test(arguments: [0, 1, 2])
    func `a difference on a topic that is never at rest is found and mended all the same`(relays: Int) throws {
        var network = try network(relays: relays)
        try setBackModel7(&network)
        let busy = (0..<200).map(String.init).filter { $0 != "7" && partition($0) == partition("7") }
        try #require(busy.count > 4)
        // Batches go out every five milliseconds: some overtake each answer.
        network.answerDelay = 20_000
        // Two heartbeats.
        for round in 0..<1_100 {
            try network.write(0, busy[round % busy.count], ["age": .int(Int64(1_000 + round))])
            network.run(milliseconds: 1)
        }
        expectOneDifferenceMended(&network)
    }

    @Test func `what only the publisher's copy has got, without a batch, is found within two heartbeats`() throws {
        var network = try network(relays: 0)
        let stamp = network.origins[0].incarnation + (1 << 20)
        var writer = BatchWriter()
        try writer.append(.merge, stamp: stamp, id: "7", fields: ["age": 700])
        let frame = writer.finish(origin: "origin", incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        network.origins[0].cache.commit(decoder.batch(in: frame.span), type: "User")
        try passTwoHeartbeats(&network, beside: "7")
        #expect(network.replicas[0].cache["User", "7"]?["age"] == 700)
        #expect(network.replicas[0].counters[.digestMismatches] == 1)
    }

    @Test func `of an origin that is long gone a relay tells at every tenth heartbeat`() throws {
        var network = try network(relays: 1)
        network.dead.insert(.origin(0))
        network.run(milliseconds: 20_000)
        var count = 0
        for _ in 0..<10 {
            network.time += 500_000
            network.relays[0].tick(now: network.now)
            for case .publish(let topic, _) in network.relays[0].takeActions()
            where topic == .heads(origin: "origin") {
                count += 1
            }
        }
        #expect(count == 1)
        // Whoever asks is told at any time, and the replica knows that it is stale.
        let hello = network.ask(.relay(0), .hello(rid: 1, version: 1, name: "x", prefixes: []))
        guard case .welcome(_, _, _, _, _, _, let told, _)? = hello.first else {
            Issue.record("no welcome")
            return
        }
        #expect(told.map(\.origin) == ["origin"])
        let streams = network.replicas[0].streamStatus(now: network.now)
        #expect(streams.allSatisfy { $0.state == .stale })
        #expect(network.replicas[0].state(of: network.links[1].sender) == .live)
    }
}
