import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// More names than a relay can tell of: the longest idle make way, and nothing of what they wrote is lost.
@Suite struct ManyNamesTests {
    private static let topic = Topic.data(type: "User")
    private let incarnation: UInt64 = 1_800_000_000_000 << 16

    private func batch(_ origin: String, _ sequence: UInt64 = 1, id: String? = nil) throws -> [UInt8] {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: incarnation + sequence, id: id ?? origin, fields: ["a": .int(Int64(sequence))])
        return writer.finish(origin: origin, incarnation: incarnation, sequence: sequence)
    }

    private func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "x", count: 64 - digits.count) + digits
    }

    /// A relay that tells some four of the names of jobs, and whose peers may begin as many as they like.
    private func network(kept: Int = 1000) throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.budget.names = RequestBudget.Rate(burst: 1 << 20, perSecond: 1 << 20) }
        network.relays[0].replica.limitNames(told: 300, kept: kept, quiet: .seconds(3))
        return network
    }

    private func push(_ batch: [UInt8], _ network: inout RelayNetwork, from peer: [UInt8] = [66]) -> ControlReply? {
        network.ask(.relay(0), .push(rid: 1, topic: Self.topic, batch: batch), from: peer).first
    }

    /// The names of which the relay tells.
    private func told(_ network: RelayNetwork) -> [String] {
        network.relays[0].heads(prefixes: nil, now: network.now).map(\.origin)
    }

    private func stream(_ name: String, of replica: Replica, _ network: RelayNetwork) -> StreamStatus? {
        replica.streamStatus(now: network.now).first { $0.origin == name }
    }

    @Test func `each new name is taken, and told in place of the one that was idle for longest`() throws {
        var network = try network()
        for number in 0..<20 {
            network.time += 1000
            #expect(push(try batch("job-\(number)"), &network) == .accepted(rid: 1))
            #expect(told(network).contains("job-\(number)"))
            #expect(told(network).count <= 4)
        }
        #expect(network.relays[0].cache.count(of: "User") == 20)
        // One that goes on is told again.
        #expect(!told(network).contains("job-3"))
        #expect(push(try batch("job-3", 2), &network) == .accepted(rid: 1))
        #expect(told(network).contains("job-3"))
    }

    @Test func `one connection begins 256 names at once, then 16 a second, and shuts nobody out`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        var refusals = 0
        for number in 0..<300 {
            let reply = push(try batch(name(number)), &network)
            if reply == .accepted(rid: 1) { continue }
            guard case .error(_, .busy, _)? = reply else { return #expect(Bool(false), "\(String(describing: reply))") }
            refusals += 1
        }
        #expect(refusals == 44)
        // What it goes on with is no new name, and another begins its own.
        #expect(push(try batch(name(0), 2), &network) == .accepted(rid: 1))
        #expect(push(try batch("honest"), &network, from: [67]) == .accepted(rid: 1))
        network.time += 1_000_000
        let later = try (300..<330).filter { push(try batch(name($0)), &network) == .accepted(rid: 1) }
        #expect(later.count == 16)
    }

    @Test func `whoever joins late has the models of names that are not told, and follows one that goes on`() throws {
        var network = try network()
        for number in 0..<20 { _ = push(try batch("job-\(number)"), &network) }
        network.run(milliseconds: 1_000)
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 3_000)
        let replica = network.replicas[0]
        #expect(replica.cache.count(of: "User") == 20)
        #expect(replica.state(of: network.links[0].sender) == .live)
        #expect(push(try batch("job-0", 2), &network) == .accepted(rid: 1))
        network.run(milliseconds: 3_000)
        #expect(replica.cache["User", "job-0"]?["a"] == 2)
        #expect(stream("job-0", of: replica, network)?.applied == 2)
        #expect(replica.state(of: network.links[0].sender) == .live)
    }

    @Test func `a sender whose streams have made way is told all the same, with the start that it has made since`()
        throws
    {
        var network = try network()
        // What a publisher had sent through others, before it was met here itself.
        #expect(push(try batch("origin"), &network) == .accepted(rid: 1))
        for number in 0..<20 {
            network.time += 1000
            #expect(push(try batch("job-\(number)"), &network) == .accepted(rid: 1))
        }
        #expect(!told(network).contains("origin"))
        try network.addOrigin("origin")
        network.connect(.relay(0), to: .origin(0))
        network.run(milliseconds: 3_000)
        // It has sent nothing in this start.
        let heads = network.relays[0].heads(prefixes: nil, now: network.now).first { $0.origin == "origin" }
        #expect(heads?.incarnation == network.origins[0].incarnation)
        #expect(heads?.ageMilliseconds ?? .max < 1_000)
    }

    @Test func `a batch that was lost with all that tells of it is found by digests all the same`() throws {
        var network = try network()
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 2_000)
        for number in 0..<10 { _ = push(try batch("job-\(number)"), &network) }
        network.run(milliseconds: 1_000)
        network.lossPerMille = 1_000
        _ = push(try batch("lost"), &network)
        for number in 10..<20 {
            network.time += 1_000
            _ = push(try batch("job-\(number)"), &network)
        }
        network.run(milliseconds: 100)
        network.lossPerMille = 0
        #expect(!told(network).contains("lost"))
        network.run(milliseconds: 20_000)
        let replica = network.replicas[0]
        #expect(replica.cache["User", "lost"] != nil)
        let digests = [replica.cache, network.relays[0].cache].map { $0.digest(of: "User", buckets: 0..<256) }
        #expect(digests[0] == digests[1])
        #expect(replica.counters[.renewals] == 0)
    }

    @Test func `names of which nothing was heard for long are forgotten, and go on where they stood`() throws {
        var network = try network(kept: 10)
        network.addReplica()
        network.replicas[0].limitNames(told: 300, kept: 10, quiet: .seconds(3))
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 1_000)
        for number in 0..<40 {
            for sequence in 1...3 { _ = push(try batch("job-\(number)", UInt64(sequence)), &network) }
            network.run(milliseconds: 1_000)
        }
        let relay = network.relays[0]
        let machines = [relay.replica, network.replicas[0]]
        for machine in machines {
            #expect(machine.counters[.forgottenNames] > 10)
            #expect(machine.streamStatus(now: network.now).count < 25)
            #expect(machine.cache.count(of: "User") == 40)
            #expect(machine.brokenInvariant() == nil)
            #expect(!machine.follows("job-0"))
        }
        #expect(relay.sources.byOrigin.count < 25)
        // What it pushes again is a duplicate, and the next is the next.
        #expect(push(try batch("job-0", 3), &network) == .accepted(rid: 1))
        #expect(push(try batch("job-0", 5), &network) != .accepted(rid: 1))
        #expect(push(try batch("job-0", 4), &network) == .accepted(rid: 1))
        network.run(milliseconds: 1_000)
        for machine in machines {
            #expect(machine.cache["User", "job-0"]?["a"] == 4)
            #expect(stream("job-0", of: machine, network)?.missing == 0)
        }
        #expect(network.replicas[0].counters[.holesFound] == 0)
    }

    @Test(arguments: [false, true])
    func `a relay that was full of idle names takes a new one when it is started again from its store`(
        persistsPushes: Bool
    ) throws {
        var network = try network()
        for number in 0..<20 {
            network.time += 1_000
            #expect(push(try batch("job-\(number)"), &network) == .accepted(rid: 1))
        }
        network.run(milliseconds: 20_000)
        let former = network.relays[0]
        let positions = former.replica.positions
        #expect(positions.count == 20)
        #expect(told(network).count < 20)
        // The copy is what a store would have kept.
        var configuration = former.configuration
        configuration.persistsPushes = persistsPushes
        let relay = try RelayMachine(
            configuration: configuration, cache: former.cache, now: network.now, seed: 2,
            lastAlive: network.now.wallMilliseconds)
        relay.replica.limitNames(told: 300, kept: 1000, quiet: .seconds(3))
        relay.restore(positions, now: network.now)
        network.relays[0] = relay
        network.carryOutAll()
        let known = told(network)
        let untold = try #require(positions.map(\.origin).first { !known.contains($0) })
        for payload in try [batch("new"), batch(untold, 2)] {
            network.time += 1_000
            var reply = push(payload, &network)
            if persistsPushes {
                #expect(reply == nil)
                relay.persisted(try #require(network.persists.last), now: network.now)
                network.carryOutAll()
                reply = network.replies.last?.reply
            }
            #expect(reply == .accepted(rid: 1))
        }
        #expect(told(network).contains("new") && told(network).contains(untold))
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 8_000)
        #expect(network.replicas[0].cache.count(of: "User") == 21)
        #expect(network.replicas[0].cache["User", "new"]?["a"] == 1)
        #expect(network.replicas[0].cache["User", untold]?["a"] == 2)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `what was pushed under forgotten names survives starting anew, as does what a name that goes on had before`(
        start: UInt64
    ) throws {
        var network = try network(kept: 10)
        try network.addOrigin("origin")
        network.connect(.relay(0), to: .origin(0))
        for number in 0..<40 {
            _ = push(try batch("job-\(number)"), &network)
            network.run(milliseconds: 1_000)
        }
        let relay = network.relays[0]
        #expect(!relay.replica.follows("job-0") && !relay.replica.follows("job-1"))
        // A later start of one goes on, with another model.
        var writer = BatchWriter()
        let incarnation = incarnation + start - 1
        try writer.append(.merge, stamp: incarnation + 9, id: "later", fields: ["a": 9])
        let later = writer.finish(origin: "job-1", incarnation: incarnation, sequence: start == 1 ? 2 : 1)
        #expect(push(later, &network) == .accepted(rid: 1))
        relay.replica.startAnew(relay.replica.prefixes, reason: "test", now: network.now)
        network.run(milliseconds: 20_000)
        #expect(!relay.replica.isStartingAnew && relay.replica.counters[.renewals] == 1)
        #expect(relay.cache.count(of: "User") == 41)
    }

    @Test func `an origin that is heard itself is told whatever names come, and types take room for good`() throws {
        var network = try network()
        try network.addOrigin("origin")
        network.connect(.relay(0), to: .origin(0))
        try network.write(0, "1", ["a": 1], type: "Order")
        network.run(milliseconds: 3_000)
        for number in 0..<20 { _ = push(try batch("job-\(number)"), &network) }
        #expect(told(network).contains("origin"))
        // Each type has somebody who tells of it, and these take all the room.
        var replies: [ControlReply?] = []
        for number in 0..<10 {
            let request = ControlRequest.push(rid: 1, topic: .data(type: "T\(number)"), batch: try batch("job"))
            replies.append(network.ask(.relay(0), request, from: [UInt8(66 + number)]).first)
        }
        guard case .error(_, .busy, let first)? = replies.last else { return #expect(Bool(false), "\(replies)") }
        #expect(first.contains("try again"))
        #expect(replies.first == .accepted(rid: 1))
        // Idle names would have made way meanwhile.
        network.run(milliseconds: 31_000)
        let last = ControlRequest.push(rid: 2, topic: .data(type: "T10"), batch: try batch("job"))
        guard case .error(_, .limit, let message)? = network.ask(.relay(0), last, from: [66]).first else {
            return #expect(Bool(false), "it may still come")
        }
        #expect(message.contains("has room"))
    }

    @Test func `one connection takes three quarters of the room for types at most, and others find the rest`() throws {
        var network = try network()
        var replies: [ControlReply?] = []
        func push(_ type: String, _ name: String, from peer: UInt8) throws -> ControlReply? {
            let request = ControlRequest.push(rid: 1, topic: .data(type: type), batch: try batch(name))
            return network.ask(.relay(0), request, from: [peer]).first
        }
        for number in 0..<20 { replies.append(try push("T\(number)", "job", from: 66)) }
        let taken = replies.count { $0 == .accepted(rid: 1) }
        #expect((3...8).contains(taken), "\(taken)")
        for reply in replies.dropFirst(taken) {
            guard case .error(_, .limit, let message)? = reply else { return #expect(Bool(false), "\(replies)") }
            #expect(message.contains("three quarters"))
        }
        // It goes on with what it has begun, and another begins its own.
        #expect(try push("T0", "another", from: 66) == .accepted(rid: 1))
        #expect(try push("Honest", "job", from: 67) == .accepted(rid: 1))
    }
}
