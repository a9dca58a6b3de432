import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// Pushes that no correct pusher makes.
@Suite struct RelayPushTests {
    private func batches(_ count: Int, name: String = "job", after seen: UInt64 = 0) throws -> [[UInt8]] {
        var origin = try Wire.makeOrigin(after: seen, name: name)
        let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        var result: [[UInt8]] = []
        for id in 0..<count {
            _ = try origin.write(.merge, type: "User", id: "\(id)", fields: try EncodedFields(["a": 1]), now: now)
            origin.flush()
            for case .publish(_, let payload) in origin.takeActions() { result.append(payload) }
        }
        return result
    }

    private func push(
        _ batch: [UInt8], _ network: inout RelayNetwork, from peer: [UInt8] = [99], type: String = "User"
    ) -> ControlReply? {
        network.ask(.relay(0), .push(rid: 1, topic: .data(type: type), batch: batch), from: peer).first
    }

    private func code(_ reply: ControlReply?) -> String? {
        if case .error(_, let code, _)? = reply { code.rawValue } else { nil }
    }

    @Test func `a stored batch is merged though others claimed a later start when the positions were stored`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batch = try #require(try batches(1).first)
        var decoder = BatchDecoder()
        try decoder.decode(batch.span)
        let claimed = StreamPosition(
            origin: "job", topic: .data(type: "User"), incarnation: decoder.incarnation + 1 << 20, applied: 0)
        let stored = DurableBatch(
            topic: claimed.topic, payload: batch, writtenMilliseconds: network.now.wallMilliseconds)
        let relay = network.relays[0]
        relay.restore([claimed], batches: [stored], now: network.now)
        #expect(relay.cache.count(of: "User") == 1)
        // What is stored from then on is the start that the job has pushed.
        #expect(relay.replica.positions.map(\.incarnation) == [decoder.incarnation])
        #expect(relay.replica.positions.map(\.applied) == [1])
    }

    @Test func `what was pushed stays fresh while nobody writes, behind one relay and behind two`() throws {
        var network = RelayNetwork()
        for name in ["near", "far"] { try network.addRelay(name) }
        for _ in 0..<2 { network.addReplica() }
        network.connect(.relay(1), to: .relay(0))
        for index in 0..<2 { network.connect(.replica(index), to: .relay(index)) }
        let isCalm = network.settle()
        #expect(isCalm)
        #expect(push(try #require(try batches(1).first), &network) == .accepted(rid: 1))
        network.run(milliseconds: 60_000)
        for replica in network.replicas {
            let states = replica.streamStatus(now: network.now).filter { $0.origin == "job" }.map(\.state)
            #expect(states == [.live])
            #expect(replica.cache["User", "0"]?["a"] == 1)
        }
    }

    @Test func `a job that pushes is told as heard of now, whatever clock others have said that it has`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        try network.addRelay("liar")
        network.connect(.relay(0), to: .relay(1))
        let isCalm = network.settle()
        #expect(isCalm)
        let batches = try batches(2)
        #expect(push(batches[0], &network) == .accepted(rid: 1))
        var decoder = BatchDecoder()
        let first = batches[0]
        try decoder.decode(first.span)
        let lie = Heads(
            origin: "job", incarnation: decoder.incarnation,
            stamp: (network.now.wallMilliseconds + 200_000) << 16, heads: [], isRelayed: true, ageMilliseconds: 0)
        let (topic, payload) = (Array("h/job".utf8), lie.encode())
        network.relays[0].receiveStream(
            network.links[0].sender, topic: topic.span, payload: payload.span, now: network.now)
        network.run(milliseconds: 20_000)
        #expect(push(batches[1], &network) == .accepted(rid: 1))
        let replies = network.ask(.relay(0), .hello(rid: 2, version: 1, name: "x", prefixes: [Topic.dataPrefix]))
        guard case .welcome(_, _, _, _, _, _, let told, _)? = replies.first else {
            Issue.record("no welcome")
            return
        }
        let age = try #require(told.first { $0.origin == "job" }?.ageMilliseconds)
        #expect(age < 1_000)
    }

    @Test func `a batch that comes again says nothing of the origin's clock that lies ahead`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(1)
        #expect(push(batches[0], &network) == .accepted(rid: 1))
        var decoder = BatchDecoder()
        let first = batches[0]
        try decoder.decode(first.span)
        let stamp = network.relays[0].sources["job"]?.stamp
        for ahead in [.max, network.now.wallMilliseconds + 200_000] as [UInt64] {
            var writer = BatchWriter()
            try writer.append(.merge, stamp: ahead == .max ? .max : ahead << 16, id: "0", fields: ["a": 1])
            let again = writer.finish(origin: "job", incarnation: decoder.incarnation, sequence: 1)
            #expect(push(again, &network) == .accepted(rid: 1))
            #expect(network.relays[0].sources["job"]?.stamp == stamp)
        }
    }

    @Test func `topics that stand at an earlier start are told with the later one, for their digests`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        #expect(push(try #require(try batches(1).first), &network) == .accepted(rid: 1))
        var origin = try Wire.makeOrigin(after: 1_800_000_000_100 << 16, name: "job")
        _ = try origin.write(
            .merge, type: "Order", id: "1", fields: try EncodedFields(["a": 1]), now: network.now)
        origin.flush()
        for case .publish(let topic, let payload) in origin.takeActions() {
            let topic = Topic(bytes: topic.bytes)
            #expect(
                network.ask(.relay(0), .push(rid: 1, topic: topic, batch: payload)).first == .accepted(rid: 1))
        }
        let replies = network.ask(.relay(0), .hello(rid: 2, version: 1, name: "x", prefixes: [Topic.dataPrefix]))
        guard case .welcome(_, _, _, _, _, _, let told, _)? = replies.first else {
            Issue.record("no welcome")
            return
        }
        let heads = told.flatMap(\.heads)
        #expect(told.map(\.incarnation) == [origin.incarnation])
        #expect(heads.first { $0.topic == .data(type: "User") }?.sequence == 0)
        #expect(heads.first { $0.topic != .data(type: "User") }?.sequence == 1)
    }

    @Test(arguments: [false, true])
    func `a job that has the name of the relay is refused, and told why`(hasStore: Bool) throws {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.persistsPushes = hasStore }
        let reply = push(try #require(try batches(1, name: "relay").first), &network)
        guard case .error(_, let code, let message)? = reply else {
            Issue.record("answered with \(String(describing: reply))")
            return
        }
        #expect(code == .denied && message.contains("is the name of this relay"))
        #expect(network.relays[0].cache.types.isEmpty && network.persists.isEmpty)
    }

    @Test func `out of order, broken and future batches are refused and forwarded to nobody`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(5)
        guard case .error(1, _, let message)? = push(batches[2], &network) else {
            Issue.record("accepted")
            return
        }
        #expect(PushArrival.expectedSequence(in: message) == 1)
        #expect(code(push([1, 2, 3], &network)) == "malformed")
        #expect(code(push(Array(batches[0].dropLast()), &network)) == "malformed")
        let future = try self.batches(1, after: (1_800_000_000_000 + 600_000) << 16)
        #expect(code(push(future[0], &network)) == "limit")
        var writer = BatchWriter()
        try writer.append(.merge, stamp: 1_800_000_000_000 << 16, id: "1", fields: ["a": 9])
        let last = writer.finish(origin: "job", incarnation: .max, sequence: 1)
        #expect(code(push(last, &network)) == "limit")
        #expect(network.sent[0] == nil)
        #expect(network.relays[0].cache.types.isEmpty)
        // Refused, each counted by its reason, and nothing is remembered of the origin.
        let relay = network.relays[0]
        #expect(relay.counters[.requestsRefused] == 5)
        #expect(relay.counters[.requestsLimit] == 3)
        #expect(relay.counters[.requestsMalformed] == 2)
        #expect(relay.replica.counters[.malformedFrames] == 2)
        #expect(relay.replica.counters[.clockRejectedBatches] == 2)
        #expect(relay.replica.streamStatus(now: network.now).isEmpty)
        #expect(relay.connectedPeers.count == 1)
        #expect(relay.ring.frameCount == 0)
        // And meanwhile another is served.
        #expect(push(batches[0], &network, from: [98]) == .accepted(rid: 1))
        #expect(push(batches[0], &network) == .accepted(rid: 1))
        #expect(network.sent[0] == [batches[0]])
        let served = network.ask(
            .relay(0), .snapshot(rid: 2, prefixes: [.dataPrefix], credit: 8), from: [98])
        #expect(served.map(\.method) == ["records", "complete"])
    }

    @Test func `a loop of pushes out of order costs errors, and nobody else anything`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(3)
        for _ in 0..<2_000 { _ = push(batches[2], &network) }
        let relay = network.relays[0]
        #expect(relay.counters[.requestsLimit] == 2_000)
        #expect(relay.counters[.requestsIgnored] == 2_000 - 256)
        #expect(relay.replica.streamStatus(now: network.now).isEmpty)
        for batch in batches { #expect(push(batch, &network, from: [98]) == .accepted(rid: 1)) }
    }

    @Test func `pushed batches of all peers that wait to be durable are bounded by their bytes`() throws {
        var network = RelayNetwork()
        let batches = try batches(6)
        try network.addRelay("relay") {
            $0.persistsPushes = true
            $0.budget.pendingPushByteCount = batches[0].count * 3
        }
        for (peer, batch) in zip([10, 11, 12] as [UInt8], batches[0..<3]) {
            #expect(push(batch, &network, from: [peer]) == nil)
        }
        #expect(code(push(batches[3], &network, from: [20])) == "busy")
        network.relays[0].persisted(1, now: network.now)
        network.carryOutAll()
        #expect(push(batches[3], &network, from: [20]) == nil)
    }

    @Test(arguments: [false, true])
    func `what is told of streams that pushes begin is bounded by a frame, and all are taken`(isStored: Bool) throws {
        var network = RelayNetwork()
        // Three eighths of it are 768 bytes, and one stream of job-00 takes 43 and 29.
        try network.addRelay("relay") {
            $0.limits = WireLimits(frameByteCount: 2_048)
            $0.persistsPushes = isStored
        }
        let relay = network.relays[0]
        for index in 10..<40 {
            network.time += 1_000
            _ = push(try batches(1, name: "job-\(index)")[0], &network)
            if isStored { relay.persisted(try #require(network.persists.last), now: network.now) }
            let told = relay.heads(prefixes: nil, now: network.now).map(\.origin)
            #expect(told.count <= 10 && told.contains("job-\(index)"))
        }
        #expect(relay.counters[.pushesAcknowledged] == 30)
        #expect(relay.counters[.requestsRefused] == 0)
        #expect(relay.replica.streamStatus(now: network.now).count == 30)
    }

    @Test func `pushes that wait to be durable are bounded per peer, and one batch is stored once at a time`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay") {
            $0.persistsPushes = true
            $0.budget.pushesPerPeer = 4
        }
        let batches = try batches(6)
        for batch in batches[0..<4] { #expect(push(batch, &network) == nil) }
        #expect(code(push(batches[4], &network)) == "busy")
        #expect(network.persists == [1, 2, 3, 4])
        // Another peer that pushes the same waits for the same.
        #expect(push(batches[0], &network, from: [98]) == nil)
        #expect(network.persists.count == 4)
        network.replies = []
        network.relays[0].persisted(1, now: network.now)
        network.carryOutAll()
        #expect(network.replies.map(\.peer) == [[99], [98]])
        #expect(network.replies.allSatisfy { $0.reply == .accepted(rid: 1) })
        #expect(push(batches[4], &network) == nil)
        // A token that is unknown or done does nothing.
        network.replies = []
        network.relays[0].persisted(1, now: network.now)
        network.relays[0].persisted(1_000, now: network.now)
        network.carryOutAll()
        #expect(network.replies.isEmpty)
        // Who is gone is not answered.
        network.relays[0].disconnected([99] as [UInt8])
        network.relays[0].persisted(2, now: network.now)
        network.carryOutAll()
        #expect(network.replies.isEmpty)
    }

    @Test func `what an earlier start of a job left half shows when the later one is met, not long after`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        var first = try Wire.makeOrigin(name: "job")
        var writes = WriteBatch(limits: .default)
        for type in ["Order", "User"] { try writes.append(.merge, type: type, id: "1", fields: ["a": 1]) }
        _ = try first.transaction(writes, now: network.now)
        // The job dies before it has pushed the part on the other topic.
        for case .publish(let topic, let payload) in first.takeActions() where topic.type == "Order" {
            #expect(network.ask(.relay(0), .push(rid: 1, topic: topic, batch: payload)) == [.accepted(rid: 1)])
        }
        #expect(network.relays[0].cache["Order", "1"] == nil)
        var second = try Wire.makeOrigin(after: first.incarnation &+ (1 << 20), name: "job")
        _ = try second.write(.merge, type: "User", id: "2", fields: try EncodedFields(["a": 2]), now: network.now)
        second.flush()
        for case .publish(let topic, let payload) in second.takeActions() where topic.type != nil {
            #expect(network.ask(.relay(0), .push(rid: 2, topic: topic, batch: payload)) == [.accepted(rid: 2)])
        }
        #expect(network.relays[0].cache["User", "2"] != nil)
        #expect(network.relays[0].cache["Order", "1"]?["a"] == 1)
        #expect(network.relays[0].replica.counters[.incompleteGroups] == 1)
    }

    @Test func `with a store nothing of a push shows, or is sent on, before it is durable`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.persistsPushes = true }
        let batches = try batches(3)
        for batch in batches { #expect(push(batch, &network) == nil) }
        #expect(network.persists == [1, 2, 3])
        #expect(network.sent[0] == nil)
        #expect(network.relays[0].cache.types.isEmpty)
        network.relays[0].persisted(1, now: network.now)
        network.carryOutAll()
        #expect(network.sent[0] == [batches[0]])
        #expect(network.relays[0].cache.count(of: "User") == 1)
        for token: UInt64 in [2, 3] { network.relays[0].persisted(token, now: network.now) }
        network.carryOutAll()
        #expect(network.sent[0] == batches)
        #expect(network.relays[0].cache.count(of: "User") == 3)
    }

    @Test func `behind a batch that could not be stored nothing is merged until it comes again`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.persistsPushes = true }
        let batches = try batches(3)
        for batch in batches { #expect(push(batch, &network) == nil) }
        func replies(_ body: (RelayMachine) -> Void) -> [ControlReply] {
            network.replies = []
            body(network.relays[0])
            network.carryOutAll()
            return network.replies.map(\.reply)
        }
        let now = network.now
        let failed = replies { $0.persistFailed(1, reason: "disk full", now: now) }
        #expect(failed.map { code($0) } == ["internal"])
        let behind = replies { $0.persisted(2, now: now) } + replies { $0.persisted(3, now: now) }
        for reply in behind {
            guard case .error(_, .limit, let message) = reply else {
                Issue.record("\(reply)")
                continue
            }
            #expect(PushArrival.expectedSequence(in: message) == 1)
        }
        #expect(behind.count == 2)
        #expect(network.relays[0].cache.types.isEmpty)
        for batch in batches { #expect(push(batch, &network) == nil) }
        let accepted = replies { relay in for token: UInt64 in 4...6 { relay.persisted(token, now: now) } }
        #expect(accepted == Array(repeating: .accepted(rid: 1), count: 3))
        #expect(network.sent[0] == batches)
    }

    @Test func `a job that starts again and again keeps no relay waiting for another`() throws {
        var network = RelayNetwork()
        for name in ["a", "b"] { try network.addRelay(name) }
        network.connect(.relay(0), to: .relay(1))
        network.connect(.relay(1), to: .relay(0))
        network.run(milliseconds: 8_000)
        for start in UInt64(0)..<10 {
            for batch in try batches(2, after: (1_800_000_000_000 + start) << 16) {
                #expect(push(batch, &network) == .accepted(rid: 1))
                // The other relay has it from this one first.
                network.run(milliseconds: 20)
                let request = ControlRequest.push(rid: 1, topic: .data(type: "User"), batch: batch)
                #expect(network.ask(.relay(1), request, from: [99]).first == .accepted(rid: 1))
            }
            network.run(milliseconds: 1_000)
            for relay in network.relays {
                #expect(relay.replica.senderStatus(now: network.now).map(\.state) == [.live])
            }
        }
    }

    @Test func `what was pushed reaches replicas that come later, and other relays`() throws {
        var network = RelayNetwork()
        for name in ["a", "b"] { try network.addRelay(name) }
        network.addReplica()
        network.connect(.relay(1), to: .relay(0))
        network.connect(.replica(0), to: .relay(1))
        let batches = try batches(20)
        for batch in batches[0..<10] { #expect(push(batch, &network) == .accepted(rid: 1)) }
        network.run(milliseconds: 8_000)
        for batch in batches[10...] { #expect(push(batch, &network) == .accepted(rid: 1)) }
        network.run(milliseconds: 2_000)
        #expect(network.relays[1].cache.count(of: "User") == 20)
        #expect(network.replicas[0].cache.count(of: "User") == 20)
        #expect(network.sent[1]?.count ?? 0 >= 10)
    }
}
