@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Long absence: what was deleted and forgotten meanwhile must not come back.
@Suite struct RenewalTests {
    private func mesh(relays: Int) throws -> Mesh {
        let configuration = ReplicaConfiguration(name: "replica", tombstoneRetention: .seconds(10))
        var mesh = try Mesh(relays: relays, origins: 1, configuration: configuration)
        try mesh.connect()
        for id in ["kept", "deleted"] { try mesh.write(0, "User", id, ["age": 1]) }
        mesh.pass(milliseconds: 1_000)
        return mesh
    }

    /// A replica that has not heard of its relay yet, which holds two models.
    private func meshBeforeContact() throws -> Mesh {
        let configuration = ReplicaConfiguration(name: "replica", tombstoneRetention: .seconds(10))
        var mesh = try Mesh(relays: 1, origins: 1, configuration: configuration)
        for id in ["kept", "deleted"] { try mesh.write(0, "User", id, ["age": 1], via: []) }
        return mesh
    }

    /// A replica that starts anew after a long absence: one relay has answered, and the other is silent still.
    private func meshStartingAnew() throws -> Mesh {
        var mesh = try mesh(relays: 2)
        mesh.silent = [0, 1]
        mesh.pass(milliseconds: 15_000)
        mesh.silent = [1]
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.pass(milliseconds: 1_000)
        #expect(mesh.replica.isStartingAnew)
        return mesh
    }

    /// All relays answer, and these senders are connected again.
    private func hearAgain(_ mesh: inout Mesh, _ senders: [Int]) {
        mesh.silent = []
        for sender in senders { mesh.replica.connected(mesh.senders[sender], now: mesh.now) }
        mesh.pass(milliseconds: 1_000)
    }

    /// The model is deleted, and everybody but the replica forgets that it ever was.
    private func forget(_ mesh: inout Mesh) throws {
        _ = try mesh.origins[0].write(.delete, type: "User", id: "deleted", fields: EncodedFields(), now: mesh.now)
        try mesh.pump(0, via: [])
        for relay in mesh.relays {
            #expect(relay.cache.dropTombstones(of: "User", olderThan: .max) == 1)
        }
    }

    @Test(arguments: [1, 2])
    func `a model that was deleted and forgotten during a long absence does not come back`(relays: Int) throws {
        var mesh = try mesh(relays: relays)
        mesh.silent = Set(mesh.relays.indices)
        mesh.pass(milliseconds: 3_000)
        try forget(&mesh)
        mesh.pass(milliseconds: 12_000)
        #expect(mesh.replica.cache["User", "deleted"] != nil)
        hearAgain(&mesh, Array(mesh.senders.indices))
        #expect(mesh.replica.counters[.renewals] == 1)
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        #expect(mesh.replica.cache["User", "kept"]?["age"] == 1)
        #expect(mesh.isEqual(to: 0))
        #expect(mesh.notices.contains { $0.kind == .startedAnew && $0.metadata["visible"] == "1" })
    }

    @Test(arguments: [1, 2])
    func `an observer is told once of each model that a long absence has changed, and of no other`(relays: Int) throws {
        var mesh = try mesh(relays: relays)
        for id in 0..<50 { try mesh.write(0, "User", "same-\(id)", ["age": 1]) }
        for (id, age) in [(twins.0, 1), (twins.1, 2)] { try mesh.write(0, "User", id, ["age": .int(Int64(age))]) }
        try mesh.write(0, "Team", "same", ["name": "x"])
        for id in ["changed", "back"] { try mesh.write(0, "User", id, ["age": 1, "name": "x"]) }
        mesh.pass(milliseconds: 1_000)
        let listener = Told()
        let observation = mesh.replica.cache.observe(.everything, listener)
        #expect(listener.take().joined().count == 2 + 50 + 2 + 1 + 2)
        mesh.silent = Set(mesh.relays.indices)
        mesh.pass(milliseconds: 3_000)
        try forget(&mesh)
        try mesh.write(0, "User", "changed", ["age": 2], via: [])
        try mesh.write(0, "User", "new", ["age": 3], via: [])
        // Its versions are others in the end, its values are not.
        for age in [7, 1] as [Value] { try mesh.write(0, "User", "back", ["age": age], via: []) }
        mesh.pass(milliseconds: 12_000)
        #expect(listener.take().isEmpty)

        hearAgain(&mesh, Array(mesh.senders.indices))
        #expect(mesh.replica.counters[.renewals] == 1)
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.isEqual(to: 0))
        let told = Array(listener.take().joined())
        #expect(told.map(\.id).sorted() == ["changed", "deleted", "new"])
        #expect(told.allSatisfy { $0.type == "User" && !$0.isInitial && !$0.isFolded })
        for change in told {
            switch change.id {
            case "deleted": #expect(change.old?["age"] == 1 && change.new == nil)
            case "new": #expect(change.old == nil && change.new?["age"] == 3)
            default:
                #expect(change.old?["age"] == 1 && change.new?["age"] == 2)
                #expect(change.changedFields == ["age"])
            }
        }
        observation.cancel()
    }

    @Test func `what came of a model that was on its way back before a long absence does not bring it back`() throws {
        let configuration = ReplicaConfiguration(name: "replica", tombstoneRetention: .seconds(10))
        var mesh = try Mesh(
            relays: 1, origins: 1, configuration: configuration,
            modelLimits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        mesh.replica.cache.setPinned(true, type: "User", id: "kept")
        try mesh.connect()
        for id in ["deleted", "kept"] { try mesh.write(0, "User", id, ["age": 1]) }
        mesh.pass(milliseconds: 1_000)
        try #require(mesh.replica.cache.presence(of: "User", "deleted") == .evicted)
        let relay = mesh.relays[0]
        relay.answer = { request in if case .fetch = request { [] } else { nil } }
        mesh.replica.fetch(["deleted"], of: "User", token: 1, now: mesh.now)
        mesh.exchange()
        try mesh.write(0, "User", "deleted", ["age": 2])
        mesh.silent = [0]
        mesh.pass(milliseconds: 15_000)
        try forget(&mesh)
        relay.answer = nil
        hearAgain(&mesh, [0])
        #expect(mesh.replica.counters[.renewals] == 1)
        #expect(mesh.fetched[1]?.isEmpty == true)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
    }

    @Test func `a process that stood still for so long in the middle of a snapshot builds its state anew`() throws {
        var mesh = try meshBeforeContact()
        let relay = mesh.relays[0]
        var end: ControlReply?
        relay.answer = { request in
            guard case .snapshot = request else { return nil }
            relay.answer = nil
            var replies = relay.replies(to: request)
            end = replies.popLast()
            return replies
        }
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.exchange()
        mesh.pass(milliseconds: 10)
        #expect(mesh.replica.cache["User", "deleted"] != nil)
        try forget(&mesh)
        mesh.time += 15_000_000
        mesh.replica.tick(now: mesh.now)
        #expect(mesh.replica.isStartingAnew)
        mesh.exchange()
        let reasons = mesh.notices.filter { $0.kind == .startingAnew }.compactMap { $0.metadata["reason"] }
        #expect(reasons == ["this process stood still for too long"])
        // The end of the snapshot, which waited, changes nothing.
        mesh.replica.receiveControl(mesh.senders[0], try #require(end).encode().span, now: mesh.now)
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.pass(milliseconds: 2_000)
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        #expect(mesh.replica.cache["User", "kept"] != nil)
    }

    @Test func `what waited for a process that stood still before it had anything brings nothing back`() throws {
        var mesh = try meshBeforeContact()
        let relay = mesh.relays[0]
        let waiting = relay.ring.flatMap { stream, batches in
            batches.sorted { $0.key < $1.key }.map { (topic: stream.topic.bytes, payload: $0.value) }
        }
        var welcome: [ControlReply] = []
        relay.answer = { request in
            relay.answer = nil
            welcome = relay.replies(to: request)
            return []
        }
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.exchange()
        mesh.pass(milliseconds: 10)
        try forget(&mesh)
        mesh.time += 15_000_000
        mesh.replica.tick(now: mesh.now)
        for reply in welcome {
            mesh.replica.receiveControl(mesh.senders[0], reply.encode().span, now: mesh.now)
        }
        for (topic, payload) in waiting {
            mesh.replica.receiveStream(mesh.senders[0], topic: topic.span, payload: payload.span, now: mesh.now)
        }
        #expect(mesh.replica.cache["User", "deleted"] != nil)
        mesh.pass(milliseconds: 5_000)
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        #expect(mesh.replica.cache["User", "kept"] != nil)
        // It was known before, and not found by digests.
        #expect(mesh.replica.counters[.renewals] == 1 && mesh.replica.counters[.digestMismatches] == 0)
    }

    @Test func `an answer that waited for a process that stood still brings nothing back`() throws {
        var mesh = try meshBeforeContact()
        let relay = mesh.relays[0]
        var answer: [ControlReply] = []
        relay.answer = { request in
            guard case .snapshot = request else { return nil }
            relay.answer = nil
            answer = relay.replies(to: request)
            return []
        }
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.exchange()
        mesh.pass(milliseconds: 10)
        try forget(&mesh)
        mesh.time += 15_000_000
        // A part of the answer is read before the process notices how late it is.
        for (number, reply) in answer.enumerated() {
            mesh.replica.receiveControl(mesh.senders[0], reply.encode().span, now: mesh.now)
            if number == 0 { mesh.replica.tick(now: mesh.now) }
        }
        #expect(mesh.replica.isStartingAnew && mesh.replica.cache["User", "deleted"] != nil)
        mesh.pass(milliseconds: 5_000)
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        #expect(mesh.replica.cache["User", "kept"] != nil)
        #expect(mesh.replica.counters[.renewals] == 1 && mesh.replica.counters[.digestMismatches] == 0)
    }

    @Test func `what was pushed here stays in a state that is built anew, also where a relay had passed it on before`()
        throws
    {
        var mesh = try mesh(relays: 1)
        // The relay has passed it on and loses it.
        _ = try mesh.origins[0].write(
            .merge, type: "User", id: "pushed", fields: try EncodedFields(["age": 1]), now: mesh.now)
        mesh.origins[0].flush()
        for case .publish(let topic, let payload) in mesh.origins[0].takeActions() where topic.type != nil {
            mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: mesh.now)
            let arrival = mesh.replica.receivePushed(topic: topic.bytes.span, payload: payload.span, now: mesh.now)
            #expect(arrival == .duplicate)
        }
        mesh.silent = [0]
        mesh.pass(milliseconds: 15_000)
        hearAgain(&mesh, [0])
        #expect(mesh.replica.counters[.renewals] == 1)
        #expect(mesh.replica.cache["User", "pushed"]?["age"] == 1)
    }

    @Test func `a short absence is no reason to start anew`() throws {
        var mesh = try mesh(relays: 1)
        mesh.silent = [0]
        mesh.pass(milliseconds: 5_000)
        hearAgain(&mesh, [0])
        #expect(mesh.replica.counters[.renewals] == 0)
    }

    @Test func `a state of an earlier run that is too old is built anew, and a young one is kept`() throws {
        for (age, renewals) in [(20_000, 1), (5_000, 0)] as [(UInt64, UInt64)] {
            var mesh = try mesh(relays: 1)
            let cache = mesh.replica.cache
            try forget(&mesh)
            let replica = Replica(
                configuration: mesh.replica.configuration, cache: cache, now: mesh.now, seed: 2,
                lastAlive: mesh.now.wallMilliseconds - age)
            mesh.restart(replica)
            try mesh.connect()
            mesh.pass(milliseconds: 100)
            #expect(replica.counters[.renewals] == renewals)
            #expect((cache["User", "deleted"] == nil) == (renewals == 1))
            #expect(cache["User", "kept"] != nil)
        }
    }

    @Test func `updates that come while the state is built anew are in the new one`() throws {
        var mesh = try mesh(relays: 2)
        mesh.silent = [0, 1]
        mesh.pass(milliseconds: 3_000)
        try forget(&mesh)
        mesh.pass(milliseconds: 12_000)
        // The second relay is not back yet: the first one's part waits for it.
        mesh.silent = [1]
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.pass(milliseconds: 1_000)
        #expect(mesh.replica.isStartingAnew)
        try mesh.write(0, "User", "new", ["age": 2], via: [0])
        #expect(mesh.replica.cache["User", "new"] != nil)
        hearAgain(&mesh, [1])
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "new"]?["age"] == 2)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
    }

    @Test func `what a relay has passed on and does not hold itself yet stays when the state is built anew`() throws {
        var mesh = try mesh(relays: 2)
        mesh.silent = [0]
        mesh.pass(milliseconds: 12_000)
        // A part of a transaction is passed on at once, and waits at the relay for the others.
        try mesh.write(0, "User", "kept", ["age": 2], to: [], via: [1])
        #expect(mesh.replica.cache["User", "kept"]?["age"] == 2)
        hearAgain(&mesh, [0])
        #expect(mesh.replica.counters[.renewals] == 1)
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "kept"]?["age"] == 2)
    }

    @Test(arguments: [true, false])
    func `what came before a long absence brings nothing back that was deleted since`(isHeld: Bool) throws {
        var mesh = try mesh(relays: 1)
        // Of a transaction one part comes; or of two writes, the second.
        var writes = WriteBatch(limits: .default)
        for (type, id) in [("User", "late"), ("Team", "x")] {
            try writes.append(.merge, type: type, id: id, fields: ["age": 1])
        }
        if isHeld {
            _ = try mesh.origins[0].transaction(writes, now: mesh.now)
        } else {
            try mesh.write(0, "User", "late", ["age": 1], via: [])
        }
        var late: [(Topic, [UInt8])] = []
        for case .publish(let topic, let payload) in mesh.origins[0].takeActions() where topic.type != nil {
            try mesh.relays[0].take(topic, payload)
            guard topic.type == "User" else { continue }
            late.append((topic, payload))
            mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: mesh.now)
        }
        _ = try mesh.origins[0].write(.delete, type: "User", id: "late", fields: EncodedFields(), now: mesh.now)
        try mesh.pump(0)
        mesh.silent = [0]
        #expect(mesh.relays[0].cache.dropTombstones(of: "User", olderThan: .max) == 1)
        mesh.pass(milliseconds: 15_000)
        hearAgain(&mesh, [0])
        #expect(mesh.replica.counters[.renewals] == 1)
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "late"] == nil)
        #expect(mesh.replica.cache["User", "kept"] != nil)
        #expect(mesh.isEqual(to: 0))
    }

    @Test func `what one sender showed long before the others brings nothing back that they have forgotten`() throws {
        var mesh = try mesh(relays: 2)
        mesh.silent = [0, 1]
        mesh.pass(milliseconds: 12_000)
        // The delete is here and at one relay, and not yet at the other, whose snapshot comes first.
        _ = try mesh.origins[0].write(.delete, type: "User", id: "deleted", fields: EncodedFields(), now: mesh.now)
        try mesh.pump(0, to: [0], via: [0])
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        mesh.silent = [0]
        mesh.replica.connected(mesh.senders[1], now: mesh.now)
        mesh.pass(milliseconds: 200)
        #expect(mesh.replica.isStartingAnew)
        for (stream, held) in mesh.relays[0].ring {
            for payload in held.values { try mesh.relays[1].take(stream.topic, payload) }
        }
        mesh.pass(milliseconds: 10_000)
        for relay in mesh.relays { #expect(relay.cache.dropTombstones(of: "User", olderThan: .max) == 1) }
        hearAgain(&mesh, [0])
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.counters[.renewals] == 1)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        #expect(mesh.replica.cache["User", "kept"]?["age"] == 1)
        #expect(mesh.isEqual(to: 0))
    }

    @Test func `what is old by its stamp and no snapshot had is in the state that is built anew`() throws {
        var mesh = try meshStartingAnew()
        // An origin whose clock is far behind: everybody's deletes of that time are forgotten.
        let past = Moment(wallMilliseconds: mesh.now.wallMilliseconds - 60_000, uptimeMicroseconds: 1)
        var slow = try Wire.makeOrigin(name: "slow")
        _ = try slow.write(.merge, type: "User", id: "slow", fields: try EncodedFields(["age": 1]), now: past)
        slow.flush()
        for case .publish(let topic, let payload) in slow.takeActions() where topic.type != nil {
            mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: mesh.now)
        }
        #expect(mesh.replica.cache["User", "slow"] != nil)
        hearAgain(&mesh, [1])
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "slow"]?["age"] == 1)
    }

    @Test func `what only looked old, to a clock that had leapt ahead, is in the state that is built anew`() throws {
        var mesh = try meshStartingAnew()
        // A delete of which no sender has heard yet, while the clock here is a day ahead for a moment.
        _ = try mesh.origins[0].write(.delete, type: "User", id: "deleted", fields: EncodedFields(), now: mesh.now)
        mesh.origins[0].flush()
        var ahead = mesh.now
        ahead.wallMilliseconds += 86_400_000
        for case .publish(let topic, let payload) in mesh.origins[0].takeActions() where topic.type != nil {
            mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: ahead)
        }
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        // And somebody says that its origin has started anew.
        let later = Heads(
            origin: "origin-0", incarnation: mesh.now.wallMilliseconds << 16, stamp: mesh.now.wallMilliseconds << 16,
            heads: [TopicHead(topic: .data(type: "User"), sequence: 0, digest: nil)], isRelayed: true)
        mesh.replica.receiveStream(
            mesh.senders[0], topic: Topic.heads(origin: "origin-0").bytes.span, payload: later.encode().span,
            now: mesh.now)
        hearAgain(&mesh, [1])
        #expect(!mesh.replica.isStartingAnew)
        #expect(mesh.replica.cache["User", "deleted"] == nil)
        #expect(mesh.replica.cache["User", "kept"] != nil)
    }

    @Test func `removed fields are forgotten when their time is over, here before or after the sender`() throws {
        var mesh = try mesh(relays: 1)
        try mesh.write(0, "User", "1", ["kept": 1, "gone": 1], via: [0])
        try mesh.write(0, "User", "1", ["gone": .undefined], via: [0])
        #expect(mesh.replica.cache["User", "1"]?.removedFieldCount == 1)
        mesh.pass(milliseconds: 9_000)
        #expect(mesh.replica.cache["User", "1"]?.removedFieldCount == 1)
        mesh.pass(milliseconds: 10_000)
        #expect(mesh.replica.cache["User", "1"]?.cells.map(\.field) == ["kept"])
        #expect(mesh.replica.counters[.digestMismatches] == 0)
    }

    @Test func `deleted models are forgotten when their time is over`() throws {
        var mesh = try mesh(relays: 1)
        _ = try mesh.origins[0].write(.delete, type: "User", id: "deleted", fields: EncodedFields(), now: mesh.now)
        try mesh.pump(0)
        #expect(mesh.replica.cache.tombstoneCount(of: "User") == 1)
        mesh.pass(milliseconds: 9_000)
        #expect(mesh.replica.cache.tombstoneCount(of: "User") == 1)
        mesh.pass(milliseconds: 10_000)
        #expect(mesh.replica.cache.tombstoneCount(of: "User") == 0)
        #expect(mesh.replica.counters[.tombstonesDropped] == 1)
        #expect(mesh.replica.counters[.digestMismatches] == 0)
    }
}
