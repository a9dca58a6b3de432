@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Leased models: who sees them, for how long, and what becomes of them.
@Suite struct LeaseTests {
    /// The origin that leases, another one, a relay of both and a replica of the relay.
    private func network() throws -> RelayNetwork {
        var network = try RelayNetwork.chain()
        try network.addOrigin("other")
        network.connect(.relay(0), to: .origin(1))
        network.run(milliseconds: 8_000)
        return network
    }

    private func lease(_ milliseconds: Int64, _ more: Fields = ["age": 1]) -> Fields {
        var fields = more
        fields["$leaseMs"] = .int(milliseconds)
        return fields
    }

    /// Whether the relay and the replica show the model.
    private func shown(_ network: RelayNetwork, _ id: String = "1") -> [Bool] {
        [network.relays[0].cache, network.replicas[0].cache].map { $0["User", id] != nil }
    }

    private func areDigestsEqual(_ network: RelayNetwork) -> Bool {
        let digests = [network.origins[0].cache, network.relays[0].cache, network.replicas[0].cache]
        return Set(digests.map { $0.digest(of: "User") }).count == 1
    }

    @Test func `a model is there as long as its origin, and back with all its fields when that is`() throws {
        var network = try network()
        try network.write(0, "1", lease(3_000))
        try network.write(0, "2", ["age": 1])
        network.run(milliseconds: 10_000)
        #expect(shown(network) == [true, true])
        network.dead = [.origin(0)]
        network.run(milliseconds: 2_500)
        #expect(shown(network) == [true, true])
        network.run(milliseconds: 2_500)
        #expect(shown(network) == [false, false] && shown(network, "2") == [true, true])
        #expect(network.replicas[0].cache.count(of: "User") == 1 && areDigestsEqual(network))
        #expect(network.replicas[0].cache.snapshot()["User", "1"] == nil)
        network.dead = []
        network.run(milliseconds: 5_000)
        #expect(shown(network) == [true, true] && network.replicas[0].cache["User", "1"]?["age"] == 1)
        #expect(network.replicas[0].counters[.leasesEnded] == 1)
        #expect(network.replicas[0].counters[.leasesReturned] == 1)
        #expect(network.replicas[0].cache.count(of: "User") == 2 && areDigestsEqual(network))
    }

    @Test func `nothing ends where nobody is heard of, and nothing while a process is stopped`() throws {
        var network = try network()
        try network.write(0, "1", lease(3_000))
        network.run(milliseconds: 2_000)
        network.loses = { link, _ in link == 1 }
        network.run(milliseconds: 60_000)
        #expect(shown(network) == [true, true])
        network.loses = { _, _ in false }
        network.run(milliseconds: 10_000)
        #expect(shown(network) == [true, true])
        network.stopped = [0]
        network.run(milliseconds: 60_000)
        network.stopped = []
        network.run(milliseconds: 10_000)
        #expect(shown(network) == [true, true] && network.replicas[0].counters[.leasesEnded] == 0)
    }

    @Test func `a relay that hears of nobody says so, and ends what its host says is gone`() throws {
        var network = try RelayNetwork.chain()
        try network.write(0, "1", lease(3_000))
        network.run(milliseconds: 5_000)
        network.dead = [.origin(0)]
        network.run(milliseconds: 60_000)
        #expect(shown(network) == [true, true])
        for _ in 0..<8 {
            network.relays[0].unreachable(SenderID(index: 0), reason: "refused", isAbsent: true, now: network.now)
            network.run(milliseconds: 500)
        }
        #expect(shown(network) == [false, false])
        network.dead = []
        network.run(milliseconds: 10_000)
        #expect(shown(network) == [true, true])
    }

    @Test func `a listener ends it by what it hears of others, once contact with these has stood for a while`() throws {
        var network = RelayNetwork()
        for name in ["origin", "other"] { try network.addOrigin(name) }
        network.addReplica()
        for index in 0..<2 { network.connect(.replica(0), to: .origin(index)) }
        try network.write(0, "1", lease(2_000))
        network.run(milliseconds: 10_000)
        // All is lost for a while, and one comes back before the other.
        network.loses = { _, _ in true }
        network.run(milliseconds: 30_000)
        network.loses = { link, _ in link == 0 }
        network.run(milliseconds: 4_500)
        #expect(network.replicas[0].cache["User", "1"] != nil)
        network.run(milliseconds: 8_000)
        #expect(network.replicas[0].cache["User", "1"] == nil)
        network.loses = { _, _ in false }
        network.run(milliseconds: 10_000)
        #expect(network.replicas[0].cache["User", "1"] != nil)
    }

    @Test func `a relay tells as often as ever of an origin that leases models, however old it is said to be`() throws {
        var network = try RelayNetwork.chain()
        try network.write(0, "1", lease(2_000))
        network.run(milliseconds: 5_000)
        let start = network.origins[0].incarnation
        network.loses = { link, _ in link == 0 }
        for _ in 0..<120 {
            let heads = Heads(
                origin: "origin", incarnation: start, stamp: network.now.wallMilliseconds << 16, heads: [],
                isRelayed: true, ageMilliseconds: .max, leasesSince: start, quietMilliseconds: 0, leaseDistance: 0)
            network.relays[0].receiveStream(
                SenderID(index: 0), topic: Topic.heads(origin: "origin").bytes.span, payload: heads.encode().span,
                now: network.now)
            network.run(milliseconds: 500)
            #expect(shown(network) == [true, true])
        }
    }

    @Test func `what others write into a model whose lease has ended does not bring it back`() throws {
        var network = try network()
        try network.write(0, "1", lease(2_000))
        try network.write(1, "1", ["seen": 1])
        network.run(milliseconds: 2_000)
        network.dead = [.origin(0)]
        network.run(milliseconds: 5_000)
        #expect(shown(network) == [false, false])
        try network.write(1, "1", ["seen": 2])
        network.run(milliseconds: 2_000)
        #expect(shown(network) == [false, false])
        network.dead = []
        network.run(milliseconds: 5_000)
        #expect(network.replicas[0].cache["User", "1"]?["seen"] == 2)
        // A delete is one, whoever is heard of.
        network.dead = [.origin(0)]
        network.run(milliseconds: 5_000)
        try network.write(1, "1", as: .delete)
        network.run(milliseconds: 2_000)
        network.dead = []
        network.run(milliseconds: 5_000)
        #expect(shown(network) == [false, false] && network.replicas[0].counters[.leasesReturned] == 1)
    }

    @Test func `a lease belongs to a run: what the next does not lease again ends, and the rest never went`() throws {
        var network = try network()
        for id in ["again", "gone"] { try network.write(0, id, lease(4_000)) }
        network.run(milliseconds: 2_000)
        network.dead = [.origin(0)]
        network.run(milliseconds: 1_000)
        try network.restartOrigin(0)
        try network.write(0, "again", lease(4_000))
        network.run(milliseconds: 3_000)
        #expect(shown(network, "again") == [true, true] && shown(network, "gone") == [true, true])
        network.run(milliseconds: 5_000)
        #expect(shown(network, "again") == [true, true] && shown(network, "gone") == [false, false])
        network.run(milliseconds: 30_000)
        #expect(shown(network, "again") == [true, true] && shown(network, "gone") == [false, false])
        #expect(network.replicas[0].counters[.leasesEnded] == 1)
    }

    @Test func `a run that leases nothing ends what the last has leased`() throws {
        var network = try network()
        try network.write(0, "1", lease(3_000))
        network.run(milliseconds: 2_000)
        try network.restartOrigin(0)
        network.run(milliseconds: 2_000)
        #expect(shown(network) == [true, true])
        network.run(milliseconds: 5_000)
        #expect(shown(network) == [false, false])
    }

    @Test func `what has ended with a run does not come back with the next, unless that leases it again`() throws {
        var network = try network()
        for id in ["1", "2"] { try network.write(0, id, lease(3_000)) }
        network.run(milliseconds: 2_000)
        network.dead = [.origin(0)]
        network.run(milliseconds: 6_000)
        #expect(shown(network) == [false, false])
        try network.restartOrigin(0)
        try network.write(0, "2", ["$leaseMs": 3_000])
        for _ in 0..<10 {
            network.run(milliseconds: 1_000)
            #expect(shown(network) == [false, false])
        }
        #expect(shown(network, "2") == [true, true])
        #expect(network.replicas[0].cache["User", "2"]?["age"] == 1)
    }

    @Test func `an origin with a store deletes what it does not lease again, and says again what it does`() throws {
        var network = try network()
        for id in ["again", "batched", "gone"] { try network.write(0, id, lease(4_000)) }
        network.run(milliseconds: 2_000)
        try network.restartOrigin(0, with: network.origins[0].cache)
        network.run(milliseconds: 1_000)
        #expect(try network.write(0, "again", lease(4_000)) != .unchanged)
        var writes = WriteBatch(limits: .default)
        try writes.append(.merge, type: "User", id: "batched", fields: lease(4_000))
        #expect(try network.origins[0].writeBatch(&writes, now: network.now).published == 1)
        network.run(milliseconds: 2_000)
        #expect(shown(network, "gone") == [true, true])
        network.run(milliseconds: 5_000)
        #expect(network.origins[0].cache["User", "gone"] == nil && shown(network, "gone") == [false, false])
        for id in ["again", "batched"] { #expect(shown(network, id) == [true, true], "\(id)") }
        // Said again in the same run it is no news.
        #expect(try network.write(0, "again", lease(4_000)) == .unchanged)
        #expect(areDigestsEqual(network))
    }

    @Test func `two relays that hear of each other end it as well`() throws {
        var network = try network()
        try network.addRelay("relay-2")
        network.addReplica()
        network.connect(.relay(1), to: .origin(0))
        network.connect(.relay(1), to: .relay(0))
        network.connect(.relay(0), to: .relay(1))
        network.connect(.replica(1), to: .relay(1))
        try network.write(0, "1", lease(3_000))
        network.run(milliseconds: 12_000)
        let caches = network.relays.map(\.cache) + network.replicas.map(\.cache)
        #expect(caches.allSatisfy { $0["User", "1"] != nil })
        network.dead = [.origin(0)]
        network.run(milliseconds: 7_000)
        #expect(caches.allSatisfy { $0["User", "1"] == nil })
        network.dead = []
        network.run(milliseconds: 5_000)
        #expect(caches.allSatisfy { $0["User", "1"] != nil })
    }

    @Test func `one relay that is cut off from the origin ends nothing while another is not`() throws {
        var network = try network()
        try network.addRelay("relay-2")
        network.connect(.relay(1), to: .origin(0))
        network.connect(.replica(0), to: .relay(1))
        try network.write(0, "1", lease(3_000))
        network.run(milliseconds: 8_000)
        network.loses = { link, _ in link == 0 }
        network.run(milliseconds: 10_000)
        #expect(shown(network) == [false, true])
        network.loses = { _, _ in false }
        network.run(milliseconds: 8_000)
        #expect(shown(network) == [true, true])
    }

    @Test func `whoever joins while the origin is gone does not see its leased models`() throws {
        var network = try network()
        try network.write(0, "1", lease(3_000))
        network.run(milliseconds: 5_000)
        network.dead = [.origin(0)]
        network.run(milliseconds: 6_000)
        network.addReplica()
        network.connect(.replica(1), to: .relay(0))
        network.run(milliseconds: 4_000)
        #expect(network.replicas[1].cache["User", "1"] == nil)
        #expect(network.replicas[1].cache.digest(of: "User") == network.replicas[0].cache.digest(of: "User"))
        network.dead = []
        network.run(milliseconds: 15_000)
        #expect(network.replicas[1].cache["User", "1"] != nil)
    }

    @Test func `whoever joins sees nothing of an earlier run that is over, not even once`() throws {
        var network = try network()
        try network.write(0, "1", lease(20_000))
        network.run(milliseconds: 2_000)
        try network.restartOrigin(0)
        try network.write(0, "2", lease(20_000))
        network.run(milliseconds: 30_000)
        #expect(shown(network) == [false, false] && shown(network, "2") == [true, true])
        network.addReplica()
        network.connect(.replica(1), to: .relay(0))
        for _ in 0..<40 where network.replicas[1].senderStatus(now: network.now).first?.state != .live {
            network.run(milliseconds: 50)
        }
        #expect(network.replicas[1].cache["User", "1"] == nil && network.replicas[1].cache["User", "2"] != nil)
        network.run(milliseconds: 5_000)
        #expect(network.replicas[1].cache["User", "1"] == nil && network.replicas[1].cache["User", "2"] != nil)
    }

    @Test func `of many senders that join together not each makes the listener look at all models`() throws {
        var network = RelayNetwork()
        for number in 0..<40 {
            try network.addOrigin("origin-\(number)")
            try network.write(number, "\(number)", lease(20_000))
        }
        network.addReplica()
        for number in 0..<40 { network.connect(.replica(0), to: .origin(number)) }
        network.run(milliseconds: 3_000)
        let replica = network.replicas[0]
        #expect(replica.senderStatus(now: network.now).allSatisfy { $0.state == .live })
        #expect(replica.cache.count(of: "User") == 40)
        #expect((1...10).contains(replica.leaseLookCount), "\(replica.leaseLookCount)")
    }

    @Test func `what comes late of an origin that is gone is not shown`() throws {
        var network = try network()
        try network.addRelay("relay-2")
        network.connect(.relay(1), to: .origin(0))
        try network.write(0, "1", lease(3_000))
        network.run(milliseconds: 8_000)
        network.loses = { link, _ in link == 0 }
        try network.write(0, "2", lease(3_000))
        network.run(milliseconds: 300)
        network.dead = [.origin(0)]
        network.run(milliseconds: 12_000)
        #expect(network.relays[1].cache.record(type: "User", id: "2", includingTombstones: true) != nil)
        #expect(shown(network) == [false, false])
        network.connect(.replica(0), to: .relay(1))
        network.run(milliseconds: 5_000)
        #expect(network.replicas[0].cache.record(type: "User", id: "2", includingTombstones: true) != nil)
        #expect(network.replicas[0].cache["User", "2"] == nil)
    }

    @Test func `a lease that is taken away, or becomes longer, counts at once`() throws {
        var network = try network()
        for id in ["kept", "longer", "shorter"] { try network.write(0, id, lease(3_000)) }
        network.run(milliseconds: 2_000)
        try network.write(0, "kept", ["$leaseMs": .undefined])
        try network.write(0, "longer", lease(20_000))
        try network.write(0, "shorter", lease(1_000))
        network.run(milliseconds: 1_000)
        network.dead = [.origin(0)]
        network.run(milliseconds: 2_500)
        #expect(shown(network, "shorter") == [false, false])
        network.run(milliseconds: 5_000)
        #expect(shown(network, "kept") == [true, true] && shown(network, "longer") == [true, true])
        network.run(milliseconds: 15_000)
        #expect(shown(network, "kept") == [true, true] && shown(network, "longer") == [false, false])
    }

    @Test func `a lease shorter than two heartbeats is refused with the least that works`() throws {
        var network = try network()
        let error = #expect(throws: WireError.self) { try network.write(0, "1", lease(999)) }
        #expect(error?.reason.contains("give at least 1000 ms") == true)
        #expect(network.origins[0].cache["User", "1"] == nil)
        try network.write(0, "1", lease(1_000))
        for value: Value in [0, -1, 1.5, "10s", true, .int(.max)] {
            let error = #expect(throws: WireError.self, "\(value)") { try network.write(0, "1", ["$leaseMs": value]) }
            #expect(error?.reason.contains("whole milliseconds") == true)
        }
        #expect(network.origins[0].cache["User", "1"]?.lease?.milliseconds == 1_000)
    }

    @Test func `an origin that only pushes leases nothing, as nobody hears of it`() throws {
        var origin = try Origin(
            configuration: OriginConfiguration(name: "job", streamEndpoint: ""), cache: ModelCache(),
            now: RelayNetwork().now)
        let error = #expect(throws: WireError.self) {
            try origin.write(
                .merge, type: "User", id: "1", fields: try EncodedFields(lease(5_000)), now: RelayNetwork().now)
        }
        #expect(error?.reason.contains("only pushes") == true)
    }
}
