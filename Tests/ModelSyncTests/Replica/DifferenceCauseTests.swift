import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// The two causes of copies that differ at equal heads without a fault (Repair, "A difference is never a loss").
@Suite struct DifferenceCauseTests {
    /// A batch that a start of a job pushes to the first relay, with one model.
    private func push(_ id: String, incarnation: UInt64, _ network: inout RelayNetwork) throws {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: incarnation + 1, id: id, fields: ["age": 1])
        let batch = writer.finish(origin: "job", incarnation: incarnation, sequence: 1)
        let replies = network.ask(.relay(0), .push(rid: 1, topic: .data(type: "User"), batch: batch))
        #expect(replies == [.accepted(rid: 1)])
    }

    /// Where each stream of a copy stands.
    private func heads(_ replica: Replica, _ network: RelayNetwork) -> [UInt64] {
        replica.streamStatus(now: network.now).flatMap { [$0.incarnation, $0.applied] }
    }

    private func digest(_ replica: Replica) -> UInt64 { replica.cache.digest(of: "User") }

    @Test func `what a relay without a store had shown before it died is found as a difference, and taken`() throws {
        var network = RelayNetwork()
        for name in ["relay", "other"] { try network.addRelay(name) }
        network.connect(.relay(1), to: .relay(0))
        network.run(milliseconds: 1_000)
        let first = network.now.wallMilliseconds << 16
        try push("shown", incarnation: first, &network)
        network.run(milliseconds: 1_000)
        #expect(network.relays[1].cache["User", "shown"] != nil)
        // The relay has kept nothing, and neither has the job, which is run again. The other relay has it all.
        try network.restartRelay(0)
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 3_000)
        let second = network.now.wallMilliseconds << 16
        try push("later", incarnation: second, &network)
        network.run(milliseconds: 6_000)
        let (relay, other, replica) = (network.relays[0].replica, network.relays[1].replica, network.replicas[0])
        for copy in [relay, other, replica] { #expect(heads(copy, network) == [second, 1]) }
        #expect(digest(relay) == digest(replica))
        #expect(digest(other) != digest(replica))
        // The relay can reach the other one again, and takes its copy. No batch brings that to the replica.
        network.connect(.relay(0), to: .relay(1))
        for _ in 0..<200 where digest(relay) != digest(other) { network.run(milliseconds: 1) }
        #expect(heads(relay, network) == heads(replica, network))
        #expect(digest(relay) != digest(replica))
        #expect(replica.counters[.digestMismatches] == 0)
        network.run(milliseconds: 5_000)
        #expect(replica.counters[.digestMismatches] == 1)
        #expect(replica.counters[.holesMendedByBuckets] == 1)
        #expect(replica.counters[.renewals] == 0)
        for copy in [relay, other, replica] {
            #expect(copy.cache.count(of: "User") == 2)
            #expect(digest(copy) == digest(replica))
        }
    }

    @Test func `records from beyond a relay's hole make copies differ, until the batch that it has missed is there`()
        throws
    {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        for name in ["relay", "other"] { try network.addRelay(name) }
        for relay in 0..<2 { network.connect(.relay(relay), to: .origin(0)) }
        for id in 0..<10 { try network.write(0, "\(id)", ["age": 1]) }
        let isEverywhere = network.settle()
        #expect(isEverywhere, "\(network.differences)")
        // Both relays miss one batch, and only one of them gets the next. The publisher stops before it is asked.
        network.loses = { _, _ in true }
        try network.write(0, "missed", ["age": 1])
        network.run(milliseconds: 20)
        network.loses = { link, _ in link == 1 }
        try network.write(0, "beyond", ["age": 1])
        network.run(milliseconds: 20)
        network.dead.insert(.origin(0))
        let (relay, other) = (network.relays[0].replica, network.relays[1].replica)
        #expect(relay.cache["User", "missed"] == nil && relay.cache["User", "beyond"] != nil)
        #expect(heads(relay, network) == heads(other, network))
        #expect(digest(relay) != digest(other))

        network.addReplica()
        let replica = network.replicas[0]
        for index in 0..<2 { network.connect(.replica(0), to: .relay(index)) }
        for _ in 0..<600 where replica.counters[.digestMismatches] == 0 { network.run(milliseconds: 100) }
        #expect(replica.counters[.digestMismatches] > 0)
        #expect(heads(replica, network) == heads(other, network))
        // A copy that is built anew has the same records again.
        network.run(milliseconds: 5_000)
        #expect(!replica.isStartingAnew)
        #expect(replica.cache["User", "beyond"] != nil)

        network.loses = { _, _ in false }
        network.dead = []
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        for copy in [relay, other, replica] {
            #expect(copy.cache.count(of: "User") == 12)
            #expect(digest(copy) == network.origins[0].cache.digest(of: "User"))
        }
    }
}
