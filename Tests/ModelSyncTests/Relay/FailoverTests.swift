import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// The failover of ZeroMQ's Clone pattern (the Guide, chapter 5): there a client whose server dies takes the snapshot
/// of the backup, in which what was deleted last may still live, and has nothing that says that it was deleted.
@Suite struct FailoverTests {
    /// An origin, two relays that listen to it, and a replica that listens to both; "gone" and "kept" are everywhere.
    private func pair() throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("a")
        try network.addRelay("b")
        network.addReplica()
        network.connect(.relay(0), to: .origin(0))
        network.connect(.relay(1), to: .origin(0))
        network.connect(.replica(0), to: .relay(0))
        network.connect(.replica(0), to: .relay(1))
        for id in ["gone", "kept"] { try network.write(0, id, ["age": 1]) }
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        return network
    }

    /// The origin's frames reach the second relay no more; its own subscriptions are returned, to be given back.
    private func cutSecondRelay(_ network: inout RelayNetwork) -> [[UInt8]] {
        let subscriptions = network.links[1].subscriptions
        network.links[1].subscriptions = []
        return subscriptions
    }

    private func delete(_ id: String, _ network: inout RelayNetwork) throws {
        try network.write(0, id, as: .delete)
        network.run(milliseconds: 50)
    }

    /// The replica, and the relay that is left, take up their connections again.
    private func failOver(_ network: inout RelayNetwork) {
        network.dead.insert(.relay(0))
        for link in [2, 3] {
            network.replicas[0].disconnected(network.links[link].sender, reason: "reset", now: network.now)
        }
        network.carryOutAll()
        network.run(milliseconds: 500)
    }

    @Test func `a model deleted at one relay does not come back from the other at failover`() throws {
        var network = try pair()
        let subscriptions = cutSecondRelay(&network)
        // A patch that is older than the delete, and late: only the second relay gets it, and sends it on afterwards.
        try network.write(0, "gone", ["age": 2])
        network.origins[0].flush()
        var late: [UInt8] = []
        for case .publish(let topic, let payload) in network.origins[0].takeActions() where topic.type != nil {
            late = payload
        }
        try delete("gone", &network)
        #expect(network.replicas[0].cache["User", "gone"] == nil)
        #expect(network.relays[1].cache["User", "gone"]?["age"] == 1)

        failOver(&network)
        #expect(network.replicas[0].counters[.snapshotRecords] > 0)
        #expect(network.replicas[0].cache["User", "gone"] == nil)
        let topic = Topic.data(type: "User")
        network.relays[1].receiveStream(
            network.links[1].sender, topic: topic.bytes.span, payload: late.span, now: network.now)
        network.carryOutAll()
        network.run(milliseconds: 200)
        #expect(network.relays[1].cache["User", "gone"]?["age"] == 2)
        #expect(network.replicas[0].cache["User", "gone"] == nil)
        #expect(network.replicas[0].cache["User", "kept"]?["age"] == 1)

        // Who comes now and hears of the second relay alone is told what that believes, until it learns better.
        network.addReplica()
        network.connect(.replica(1), to: .relay(1))
        network.run(milliseconds: 300)
        #expect(network.replicas[1].cache["User", "gone"] != nil)
        network.links[1].subscriptions = subscriptions
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        for cache in [network.relays[1].cache, network.replicas[0].cache, network.replicas[1].cache] {
            #expect(cache["User", "gone"] == nil)
        }
    }

    @Test func `a model deleted at one relay goes at the other when the first comes back, though the origin does not`()
        throws
    {
        var network = try pair()
        network.connect(.relay(1), to: .relay(0))
        network.run(milliseconds: 500)
        // Links by their number: the second relay hears neither the origin nor the first relay.
        for link in [1, 4] { network.links[link].subscriptions = [] }
        try delete("gone", &network)
        network.dead.insert(.origin(0))
        failOver(&network)
        #expect(network.relays[1].cache["User", "gone"] != nil)
        #expect(network.replicas[0].cache["User", "gone"] == nil)
        // The first relay was stopped, not killed: it has its memory.
        network.dead.remove(.relay(0))
        network.run(milliseconds: 20_000)
        #expect(network.relays[1].cache["User", "gone"] == nil)
        #expect(network.replicas[0].cache["User", "gone"] == nil)
        #expect(network.relays[1].cache["User", "kept"] != nil)
    }
}
