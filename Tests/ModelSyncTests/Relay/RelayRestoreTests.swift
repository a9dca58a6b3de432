@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// A relay that goes on from what it has stored, and what was pushed to it and exists nowhere else.
@Suite struct RelayRestoreTests {
    private let topic = Topic.data(type: "User")

    /// One batch for each of some models that a job writes.
    private func batches(_ count: Int, name: String = "job", after seen: UInt64 = 0) throws -> [[UInt8]] {
        var origin = try Wire.makeOrigin(after: seen, name: name)
        let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        var result: [[UInt8]] = []
        for id in 0..<count {
            let fields = try EncodedFields(["a": 1])
            _ = try origin.write(.merge, type: "User", id: "\(name)-\(id)", fields: fields, now: now)
            origin.flush()
            for case .publish(_, let payload) in origin.takeActions() { result.append(payload) }
        }
        return result
    }

    /// The batches on the topic that wait in an origin, and after them one that is a part of a transaction over two
    /// topics.
    private func batches(withPartOf origin: inout Origin, now: Moment) throws -> [[UInt8]] {
        var writes = WriteBatch(limits: .default)
        for type in ["User", "Order"] { try writes.append(.merge, type: type, id: "part", fields: ["a": 1]) }
        _ = try origin.transaction(writes, now: now)
        return origin.takeActions().compactMap { action -> [UInt8]? in
            if case .publish(topic, let payload) = action { payload } else { nil }
        }
    }

    private func push(_ batch: [UInt8], _ network: inout RelayNetwork) -> ControlReply? {
        network.ask(.relay(0), .push(rid: 1, topic: topic, batch: batch)).first
    }

    /// A batch that was made durable so long ago.
    private func stored(_ batch: [UInt8], _ network: RelayNetwork, seconds: UInt64 = 0) -> DurableBatch {
        DurableBatch(
            topic: topic, payload: batch, writtenMilliseconds: network.now.wallMilliseconds - seconds * 1_000)
    }

    private func cache(holding batches: [[UInt8]]) throws -> ModelCache {
        let cache = ModelCache()
        try fill(cache, with: batches)
        return cache
    }

    private func fill(_ cache: ModelCache, with batches: some Sequence<[UInt8]>) throws {
        for batch in batches {
            var decoder = BatchDecoder()
            try decoder.decode(batch.span)
            cache.commit(decoder.batch(in: batch.span), type: "User")
        }
    }

    private func replay(
        _ network: inout RelayNetwork, incarnation: UInt64, from first: UInt64, through last: UInt64
    ) -> [ControlReply] {
        network.ask(
            .relay(0),
            .replay(rid: 7, origin: "job", incarnation: incarnation, topic: topic, first: first, last: last))
    }

    @Test func `stored batches beyond the stored positions are merged, and the pusher goes on behind them`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(6)
        for batch in batches[0..<3] { #expect(push(batch, &network) == .accepted(rid: 1)) }
        let positions = network.relays[0].replica.positions
        #expect(positions.map(\.applied) == [3] && positions.map(\.isPushed) == [true])

        let second = try network.makeRelay("relay")
        try fill(second.cache, with: batches[0..<3])
        second.restore(positions, batches: batches[1..<5].map { stored($0, network) }, now: network.now)
        network.relays[0] = second
        network.carryOutAll()
        #expect(second.cache.count(of: "User") == 5)
        #expect(second.replica.counters[.appliedBatches] == 2)
        #expect(second.replica.positions.map(\.applied) == [5])
        #expect(push(batches[4], &network) == .accepted(rid: 1))
        #expect(push(batches[5], &network) == .accepted(rid: 1))
        #expect(second.replica.positions.map(\.applied) == [6])
        #expect(network.sent[0]?.suffix(3) == [batches[3], batches[4], batches[5]])
    }

    @Test func `a stored batch beyond one that was not stored is kept, and the pusher fills the hole`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(3)
        network.relays[0].restore(
            [], batches: [stored(batches[0], network), stored(batches[2], network)], now: network.now)
        network.run(milliseconds: 1_000)
        #expect(network.relays[0].cache.count(of: "User") == 2)
        #expect(network.relays[0].replica.positions.map(\.applied) == [1])
        // Nobody listens to anybody here, and still it is not up to date.
        #expect(network.relays[0].replica.streamStatus(now: network.now).map(\.state) == [.repairing])
        #expect(push(batches[1], &network) == .accepted(rid: 1))
        #expect(network.relays[0].replica.streamStatus(now: network.now).map(\.state) == [.live])
        #expect(network.relays[0].replica.positions.map(\.applied) == [3])
        #expect(network.relays[0].cache.count(of: "User") == 3)
    }

    @Test func `stored batches that the stored state lacks are merged and sent on`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(3)
        let incarnation = try decoded(batches[0])
        // As where a sender had claimed to hold all of it when the position was stored.
        let position = StreamPosition(
            origin: "job", topic: topic, incarnation: incarnation, applied: .max, isPushed: true)
        network.relays[0].restore([position], batches: batches.map { stored($0, network) }, now: network.now)
        network.carryOutAll()
        #expect(network.relays[0].cache.count(of: "User") == 3)
        #expect(network.relays[0].replica.positions.map(\.applied) == [3])
        #expect(network.sent[0]?.suffix(3) == batches[...])
    }

    @Test func `a stored batch tells which start its origin is in, whatever a stored word of others says`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(2)
        // Written before the first batch was pushed.
        let position = StreamPosition(
            origin: "job", topic: topic, incarnation: try decoded(batches[0]) + (1 << 16), applied: 3)
        network.relays[0].restore([position], batches: [stored(batches[0], network)], now: network.now)
        network.carryOutAll()
        #expect(network.relays[0].cache["User", "job-0"] != nil)
        #expect(push(batches[1], &network) == .accepted(rid: 1))
    }

    @Test func `what was pushed before a restart is replayed after it, and not sent on again`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batches = try batches(4)
        for batch in batches { #expect(push(batch, &network) == .accepted(rid: 1)) }
        let positions = network.relays[0].replica.positions
        let incarnation = try decoded(batches[0])

        let second = try network.makeRelay("relay")
        try fill(second.cache, with: batches)
        network.sent = [:]
        // The first is older than a ring's frames become; the others are not yet.
        let ages: [UInt64] = [61, 59, 30, 0]
        second.restore(
            positions, batches: zip(batches, ages).map { stored($0, network, seconds: $1) }, now: network.now)
        network.relays[0] = second
        network.carryOutAll()
        #expect(network.sent[0] ?? [] == [])
        #expect(second.replica.counters[.appliedBatches] == 0)
        #expect(
            replay(&network, incarnation: incarnation, from: 2, through: 4)
                == batches[1...].map { .frame(rid: 7, topic: topic, batch: $0) } + [.complete(rid: 7, heads: [])])
        #expect(replay(&network, incarnation: incarnation, from: 1, through: 4) == [.gone(rid: 7, oldest: 2)])
        network.run(milliseconds: 2_000)
        #expect(replay(&network, incarnation: incarnation, from: 2, through: 4) == [.gone(rid: 7, oldest: 3)])
    }

    @Test func `batches of a start that was closed are replayed, and nothing else is done with them`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        // More than those after which a name is said to be in use twice.
        let old = try batches(20)
        let incarnation = try decoded(old[0])
        // A later start of the job, all of which the restored state holds.
        let position = StreamPosition(
            origin: "job", topic: topic, incarnation: incarnation + (1 << 16), applied: 1, isPushed: true)
        network.relays[0].restore([position], batches: old.map { stored($0, network) }, now: network.now)
        network.carryOutAll()
        #expect(network.relays[0].cache.types.isEmpty)
        #expect(network.relays[0].replica.positions == [position])
        #expect(network.sent[0] ?? [] == [])
        #expect(network.relays[0].replica.counters.nonZero.isEmpty)
        #expect(
            replay(&network, incarnation: incarnation, from: 20, through: 20)
                == [.frame(rid: 7, topic: topic, batch: old[19]), .complete(rid: 7, heads: [])])
    }

    @Test func `a start that was met and brought nothing yet closes the earlier one, also after a restart`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let old = try batches(3)
        let incarnation = try decoded(old[0])
        // As where its first batch is one part of a transaction, or a sender's heads alone have told of it.
        let position = StreamPosition(
            origin: "job", topic: topic, incarnation: incarnation + (1 << 16), applied: 0, isPushed: true)
        network.relays[0].restore([position], batches: old.map { stored($0, network) }, now: network.now)
        network.carryOutAll()
        #expect(network.relays[0].cache.types.isEmpty)
        #expect(network.relays[0].replica.counters[.appliedBatches] == 0)
        #expect(network.relays[0].replica.positions == [position])
        #expect(network.sent[0] ?? [] == [])
        guard case .error(1, .denied, _)? = push(try batches(4)[3], &network) else {
            Issue.record("the earlier start goes on")
            return
        }
    }

    @Test func `what is sent on at a start can be replayed for its full time, however long it was stored`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let batch = try batches(1)[0]
        let incarnation = try decoded(batch)
        network.relays[0].restore([], batches: [stored(batch, network, seconds: 59)], now: network.now)
        network.carryOutAll()
        #expect(network.sent[0] == [batch])
        network.run(milliseconds: 50_000)
        #expect(
            replay(&network, incarnation: incarnation, from: 1, through: 1)
                == [.frame(rid: 7, topic: topic, batch: batch), .complete(rid: 7, heads: [])])
    }

    @Test func `what a relay shows late of a start that is over comes to who follows the next`() throws {
        var network = RelayNetwork()
        for name in ["relay", "other"] { try network.addRelay(name) }
        network.connect(.relay(1), to: .relay(0))
        var first = try Wire.makeOrigin(name: "job")
        _ = try first.write(.merge, type: "User", id: "first", fields: EncodedFields(["a": 1]), now: network.now)
        first.flush()
        let pushed = try batches(withPartOf: &first, now: network.now)
        let part = try #require(pushed.last)
        // The job dies before it has pushed the other part, and the one does not come through to the other relay.
        network.loses = { $1 == part }
        for batch in pushed { #expect(push(batch, &network) == .accepted(rid: 1)) }
        network.run(milliseconds: 3_000)
        let later = try batches(1, after: first.lastStamp)
        #expect(network.ask(.relay(1), .push(rid: 1, topic: topic, batch: later[0])) == [.accepted(rid: 1)])
        // Whatever there was of the earlier start is taken with a new copy.
        network.dead.insert(.relay(0))
        network.run(milliseconds: 5_000)
        network.dead.remove(.relay(0))
        network.run(milliseconds: 18_000)
        #expect(network.relays[0].cache["User", "part"] == nil)
        network.run(milliseconds: 30_000)
        for relay in network.relays { #expect(relay.cache["User", "part"] != nil) }
    }

    @Test func `a part that waits when its job starts again survives a restart of the relay`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        var first = try Wire.makeOrigin(name: "job")
        let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1)
        let parts = try batches(withPartOf: &first, now: now)
        let part = try #require(parts.first)
        #expect(push(part, &network) == .accepted(rid: 1))
        // The job has died before it had pushed the other part, and runs once more.
        let later = try batches(1, after: first.lastStamp)
        #expect(push(later[0], &network) == .accepted(rid: 1))
        let replica = network.relays[0].replica
        // Nobody brings the rest any more, so the part shows.
        #expect(replica.cache["User", "part"]?["a"] == 1)
        #expect(replica.streamStatus(now: network.now).map(\.applied) == [1])

        // A store has the records, and keeps a batch until a position tells that they hold it.
        let records = replica.cache.snapshot()
        let positions = replica.positions
        let stored = try [part, later[0]].filter { batch in
            var decoder = BatchDecoder()
            try decoder.decode(batch.span)
            return !positions.contains { position in
                position.incarnation > decoder.incarnation
                    || (position.incarnation == decoder.incarnation && position.applied >= decoder.sequence)
            }
        }
        let second = try network.makeRelay("relay")
        second.cache.commit { commit in
            records.forEach(type: "User", includingTombstones: true) { record in
                commit.join(record, type: "User")
                return true
            }
        }
        second.restore(positions, batches: stored.map { self.stored($0, network) }, now: network.now)
        network.relays[0] = second
        network.run(milliseconds: 40_000)
        #expect(second.cache["User", "part"]?["a"] == 1)
        #expect(second.replica.positions.map(\.applied) == [1])
    }

    @Test func `a stored position stands where a part that it covers makes a transaction whole`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        var origin = try Wire.makeOrigin(name: "job")
        _ = try origin.write(.merge, type: "User", id: "1", fields: EncodedFields(["a": 1]), now: network.now)
        origin.flush()
        var writes = WriteBatch(limits: .default)
        for type in ["User", "Order"] { try writes.append(.merge, type: type, id: "part", fields: ["a": 1]) }
        _ = try origin.transaction(writes, now: network.now)
        var sent: [Topic: [[UInt8]]] = [:]
        for case .publish(let topic, let payload) in origin.takeActions() { sent[topic, default: []].append(payload) }
        let users = try #require(sent[topic])
        let part = try #require(sent[.data(type: "Order")]?.first)
        // The process ended when the users were stored and acknowledged, and the order was not.
        let relay = network.relays[0]
        try fill(relay.cache, with: users)
        let position = StreamPosition(
            origin: "job", topic: topic, incarnation: origin.incarnation, applied: 2, isPushed: true,
            hasTransactions: true)
        relay.restore([position], batches: [], now: network.now)
        // The acknowledgement was lost, so the job pushes all of the transaction again.
        let order = network.ask(.relay(0), .push(rid: 1, topic: .data(type: "Order"), batch: part))
        #expect(order == [.accepted(rid: 1)])
        #expect(push(users[1], &network) == .accepted(rid: 1))
        #expect(relay.cache["Order", "part"]?["a"] == 1)
        #expect(relay.replica.positions.first { $0.topic == topic }?.applied == 2)
        _ = try origin.write(.merge, type: "User", id: "2", fields: EncodedFields(["a": 1]), now: network.now)
        origin.flush()
        for case .publish(_, let payload) in origin.takeActions() {
            #expect(push(payload, &network) == .accepted(rid: 1))
        }
    }

    @Test func `bytes that are no batch are passed over`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        network.relays[0].restore([], batches: [stored([1, 2, 3], network)], now: network.now)
        #expect(network.relays[0].cache.types.isEmpty)
    }

    @Test func `models that exist only here through pushes survive starting anew, others do not`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        let old = try cache(holding: batches(2, name: "job") + batches(1, name: "dead"))
        #expect(old.count(of: "User") == 3)
        // A day and more ago.
        let relay = try RelayMachine(
            configuration: RelayMachineConfiguration(name: "relay", streamEndpoint: "memory"), cache: old,
            now: network.now,
            seed: 1, lastAlive: network.now.wallMilliseconds - 400 * 86_400_000)
        let incarnation = try decoded(batches(1)[0])
        relay.restore(
            [
                StreamPosition(
                    origin: "job", topic: topic, incarnation: incarnation, applied: 2, isPushed: true),
                StreamPosition(origin: "dead", topic: topic, incarnation: incarnation, applied: 1),
            ], now: network.now)
        network.relays.append(relay)
        network.connect(.relay(0), to: .origin(0))
        try network.write(0, "new", ["a": 2])
        network.run(milliseconds: 3_000)
        #expect(relay.replica.counters[.renewals] == 1)
        #expect(!relay.replica.isStartingAnew)
        #expect(relay.cache["User", "new"] != nil)
        #expect(relay.cache["User", "job-0"] != nil && relay.cache["User", "job-1"] != nil)
        #expect(relay.cache["User", "dead-0"] == nil)
    }

    @Test func `what an earlier start has pushed survives starting anew twice, though others have the later start`()
        throws
    {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.replica.tombstoneRetention = .seconds(60) }
        try network.addRelay("other") { $0.replica.tombstoneRetention = .seconds(60) }
        network.connect(.relay(0), to: .relay(1))
        let early = try batches(1, name: "job")
        #expect(push(early[0], &network) == .accepted(rid: 1))
        let incarnation = try decoded(early[0]) + (1 << 16)
        var writer = BatchWriter()
        try writer.append(.merge, stamp: incarnation, id: "late", fields: ["a": 1])
        let late = writer.finish(origin: "job", incarnation: incarnation, sequence: 1)
        for relay in 0..<2 {
            #expect(network.ask(.relay(relay), .push(rid: 1, topic: topic, batch: late)) == [.accepted(rid: 1)])
        }
        let relay = network.relays[0]
        // Long enough for deletes to be forgotten.
        network.run(milliseconds: 70_000)
        for count in 1...2 {
            relay.replica.startAnew(relay.replica.prefixes, reason: "test", now: network.now)
            network.run(milliseconds: 3_000)
            #expect(!relay.replica.isStartingAnew && relay.replica.counters[.renewals] == count)
            #expect(relay.cache["User", "job-0"] != nil)
        }
    }

    @Test func `a relay that starts anew hands out nothing of its old state until the settle time is over`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        let dead = try batches(1, name: "dead")
        let old = try cache(holding: dead)
        let relay = try RelayMachine(
            configuration: RelayMachineConfiguration(name: "relay", streamEndpoint: "memory"), cache: old,
            now: network.now,
            seed: 1, lastAlive: network.now.wallMilliseconds - 400 * 86_400_000)
        try relay.restore(
            [StreamPosition(origin: "dead", topic: topic, incarnation: decoded(dead[0]), applied: 1)],
            now: network.now)
        network.relays.append(relay)
        network.connect(.relay(0), to: .origin(0))
        while !relay.replica.isStartingAnew, network.time < 5_000_000 { network.run(milliseconds: 1) }
        // The origin does not give its snapshot: the state is not built.
        network.dead.insert(.origin(0))
        guard
            case .welcome(_, _, _, _, _, _, let told, _)? = network.ask(
                .relay(0), .hello(rid: 1, version: 1, name: "x", prefixes: [])
            ).first
        else {
            Issue.record("no welcome")
            return
        }
        #expect(told.flatMap(\.heads).map(\.topic) == [topic])
        #expect(told.flatMap(\.heads).allSatisfy { $0.digest == nil })
        for request: ControlRequest in [
            .snapshot(rid: 2, prefixes: [Topic.dataPrefix], credit: 1), .digest(rid: 2, type: "User", bits: 8),
            .fetch(rid: 2, type: "User", ids: ["dead-0"]),
        ] {
            guard case .error(2, .busy, _)? = network.ask(.relay(0), request).first else {
                Issue.record("\(request) is answered")
                continue
            }
        }
        network.run(milliseconds: 6_000)
        #expect(relay.replica.isStartingAnew)
        guard
            case .records(2, "User", let records)? = network.ask(
                .relay(0), .fetch(rid: 2, type: "User", ids: ["dead-0"])
            ).first
        else {
            Issue.record("nothing is fetched")
            return
        }
        #expect(records.map(\.id) == ["dead-0"])
    }

    private func decoded(_ payload: [UInt8]) throws -> UInt64 {
        var decoder = BatchDecoder()
        try decoder.decode(payload.span)
        return decoder.incarnation
    }

    @Test func `what was restored is stale until a sender tells of it, and then live`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        network.addReplica()
        network.connect(.replica(0), to: .origin(0))
        for id in 0..<5 { try network.write(0, "\(id)", ["a": 1]) }
        network.run(milliseconds: 1_000)
        let positions = network.replicas[0].positions
        #expect(positions.count == 1)
        let replica = Replica(
            configuration: network.replicas[0].configuration, cache: network.replicas[0].cache,
            now: network.now, seed: 3,
            lastAlive: network.replicas[0].lastContact(now: network.now))
        replica.restore(positions, now: network.now)
        #expect(replica.streamStatus(now: network.now).map(\.state) == [.stale])
        let contact = network.replicas[0].lastContact(now: network.now)
        network.replicas[0] = replica
        network.links = []
        network.connect(.replica(0), to: .origin(0))
        #expect(replica.lastContact(now: network.now) == contact)
        network.run(milliseconds: 1_000)
        #expect(replica.lastContact(now: network.now) ?? 0 > contact ?? .max)
        #expect(replica.streamStatus(now: network.now).map(\.state) == [.live])
        #expect(replica.counters[.snapshotsRequested] == 0)
    }

    @Test func `an origin that resumes tells its topics, and deletes what its earlier start has left`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        network.addReplica()
        network.connect(.replica(0), to: .origin(0))
        for id in ["kept", "gone"] { try network.write(0, id, ["a": 1]) }
        network.run(milliseconds: 1_000)
        let before = network.origins[0]
        let second = try Origin(
            configuration: before.configuration, cache: before.cache, now: network.now, after: before.lastStamp)
        #expect(second.incarnation > before.incarnation)
        network.origins[0] = second
        network.run(milliseconds: 6_000)
        #expect(network.replicas[0].positions.map(\.incarnation) == [second.incarnation])
        try network.write(0, "gone", as: .delete)
        let isSettled = network.settle()
        #expect(isSettled)
        #expect(network.replicas[0].cache["User", "gone"] == nil)
        #expect(network.replicas[0].cache["User", "kept"] != nil)
    }

    @Test func `a start whose earlier models are still on their way is no position to go on from`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.positions.map(\.applied) == [1])
        var second = try Wire.makeOrigin(after: wire.origin.incarnation &+ (1 << 20))
        for id in 0..<3 {
            let fields = try EncodedFields(["a": 1])
            _ = try second.write(.merge, type: "User", id: "x\(id)", fields: fields, now: wire.now)
            second.flush()
        }
        for case .publish(let topic, let payload) in second.takeActions() {
            wire.replica.receiveStream(wire.sender, topic: topic.bytes.span, payload: payload.span, now: wire.now)
        }
        #expect(wire.replica.cache.count(of: "User") == 4)
        #expect(wire.replica.positions.isEmpty)
    }
}
