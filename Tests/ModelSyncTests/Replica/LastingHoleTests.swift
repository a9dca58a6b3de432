@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// What was pushed and is nowhere any more leaves a hole that stays. It may cost the missing batch and nothing else.
@Suite struct LastingHoleTests {
    private static let topic = Topic.data(type: "User")

    /// A job's first batch.
    private func batch() throws -> [UInt8] {
        var job = try Wire.makeOrigin(name: "job")
        let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        _ = try job.write(.merge, type: "User", id: "lost", fields: try EncodedFields(["a": 1]), now: now)
        job.flush()
        let payloads = job.takeActions().compactMap { action -> [UInt8]? in
            if case .publish(Self.topic, let payload) = action { payload } else { nil }
        }
        return try #require(payloads.first)
    }

    private func stream(of replica: Replica, _ network: RelayNetwork) -> StreamStatus? {
        replica.streamStatus(now: network.now).first { $0.origin == "job" }
    }

    /// Relay 0 listens to a publisher and to relay 1, which has told the head of a job's batch and has died with it.
    /// - Parameter hearsBoth: the replica has heard of the batch, too; else it listens to relay 0 alone.
    private func network(hearsBoth: Bool) throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        for name in ["relay", "pushed"] { try network.addRelay(name) }
        network.connect(.relay(0), to: .origin(0))
        network.connect(.relay(0), to: .relay(1))
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        if hearsBoth { network.connect(.replica(0), to: .relay(1)) }
        for id in 0..<50 { try network.write(0, "\(id)", ["age": 1]) }
        network.run(milliseconds: 6_000)
        network.lossPerMille = 1_000
        let pushed = network.ask(.relay(1), .push(rid: 1, topic: Self.topic, batch: try batch()))
        #expect(pushed == [.accepted(rid: 1)])
        network.lossPerMille = 0
        let listeners = [network.relays[0].replica] + (hearsBoth ? [network.replicas[0]] : [])
        for _ in 0..<600 where !listeners.allSatisfy({ stream(of: $0, network)?.head == 1 }) {
            network.run(milliseconds: 1)
        }
        for listener in listeners { #expect(stream(of: listener, network)?.missing == 1) }
        try network.restartRelay(1)
        // Every sender is asked, and has not got it.
        network.run(milliseconds: 13_000)
        for listener in listeners {
            #expect(stream(of: listener, network)?.missing == 1)
            #expect(stream(of: listener, network)?.state != .live)
        }
        return network
    }

    @Test(arguments: [false, true])
    func `beside a hole that stays a difference is found within two heartbeats`(hearsBoth: Bool) throws {
        var network = try network(hearsBoth: hearsBoth)
        let (relay, replica) = (network.relays[0], network.replicas[0])
        #expect(relay.cache.digest(of: "User") == replica.cache.digest(of: "User"))
        // What a relay lets go of in parts, or has taken over late, comes to its copy without a sequence.
        let stamp = network.origins[0].incarnation + (1 << 20)
        var writer = BatchWriter()
        try writer.append(.merge, stamp: stamp, id: "7", fields: ["age": 700])
        let frame = writer.finish(origin: "earlier", incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        relay.cache.commit(decoder.batch(in: frame.span), type: "User")
        network.run(milliseconds: 1_050)
        #expect(replica.cache["User", "7"]?["age"] == 700)
        #expect(relay.cache.digest(of: "User") == replica.cache.digest(of: "User"))
    }

    @Test func `a part of a job is let go also where its relay has died before it could say that it is one`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        // The relay's heads go out at each half second.
        network.run(milliseconds: 6_020)
        var job = try Wire.makeOrigin(name: "job")
        let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        var writes = WriteBatch(limits: .default)
        for type in ["User", "Order"] { try writes.append(.merge, type: type, id: "part", fields: ["a": 1]) }
        _ = try job.transaction(writes, now: now)
        for case .publish(Self.topic, let payload) in job.takeActions() {
            let pushed = network.ask(.relay(0), .push(rid: 1, topic: Self.topic, batch: payload))
            #expect(pushed == [.accepted(rid: 1)])
        }
        network.run(milliseconds: 10)
        let replica = network.replicas[0]
        #expect(stream(of: replica, network)?.head == 1)
        // The relay dies with the part, and so does the job.
        try network.restartRelay(0)
        network.run(milliseconds: 25_000)
        #expect(replica.cache["User", "part"] == nil)
        network.run(milliseconds: 10_000)
        #expect(replica.cache["User", "part"]?["a"] == 1)
        #expect(replica.counters[.incompleteGroups] == 1)
        #expect(stream(of: replica, network)?.applied == 1)
    }

    @Test(arguments: [false, true])
    func `a hole that stays is no reason to compare, to fetch or to build anew without end`(hearsBoth: Bool) throws {
        var network = try network(hearsBoth: hearsBoth)
        let replica = network.replicas[0]
        let before = replica.counters
        network.run(milliseconds: 30_000)
        for name in [Counters.Name.digestMismatches, .irreparableDifferences, .bucketsFetched, .renewals] {
            #expect(replica.counters[name] == before[name])
        }
        #expect(replica.counters[.digestAudits] == before[.digestAudits])
    }
}
