@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

@Suite struct ReplicaTests {
    @Test func `a replica that joins late gets everything by a snapshot and is then live`() throws {
        var wire = try Wire()
        for id in 0..<500 { try wire.write("User", "\(id)", ["age": .int(Int64(id))]) }
        try wire.becomeLive()
        #expect(wire.replica.cache.count(of: "User") == 500)
        #expect(wire.replica.cache["User", "7"]?["age"] == 7)
        #expect(wire.areEqual)
    }

    @Test func `the life of a replica goes from connecting over syncing to live`() throws {
        var wire = try Wire()
        #expect(wire.replica.state(of: wire.sender) == .connecting)
        wire.replica.connected(wire.sender, now: wire.now)
        #expect(wire.replica.state(of: wire.sender) == .connecting)
        wire.holdsReplies = true
        try wire.exchange()
        for reply in wire.heldReplies { wire.replica.receiveControl(wire.sender, reply.span, now: wire.now) }
        #expect(wire.replica.state(of: wire.sender) == .syncing)
        wire.holdsReplies = false
        try wire.exchange()
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `a batch that comes twice is applied once`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        try wire.write("User", "1", ["age": 1])
        wire.flush()
        wire.stream.append(wire.stream[0])
        wire.deliverAll()
        #expect(wire.replica.counters[.appliedBatches] == 1)
        #expect(wire.replica.counters[.duplicateBatches] == 1)
        #expect(wire.areEqual)
    }

    @Test func `a batch that is overtaken fills its hole by itself within the grace`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        for id in 1...2 {
            try wire.write("User", "\(id)", ["age": 1])
            wire.flush()
        }
        wire.deliver(1)
        #expect(wire.replica.state(of: wire.sender) == .repairing)
        wire.deliver(0)
        #expect(wire.replica.state(of: wire.sender) == .live)
        #expect(wire.replica.counters[.holesFilled] == 1)
        #expect(wire.replica.counters[.holesFound] == 0)
    }

    @Test(arguments: [0, 64 << 20])
    func `a lost batch is mended by replay once the grace is over, by a snapshot where none is held`(
        replayByteCount: Int
    ) throws {
        var wire = try Wire(replayByteCount: replayByteCount)
        try wire.becomeLive()
        for id in 1...3 {
            try wire.write("User", "\(id)", ["age": 1])
            wire.flush()
        }
        wire.stream.remove(at: 1)
        wire.deliverAll()
        try wire.pass(milliseconds: 200)
        #expect(wire.replica.counters[.holesMendedBySnapshot] == (replayByteCount == 0 ? 1 : 0))
        #expect(wire.replica.counters[.holesMendedByReplay] == (replayByteCount == 0 ? 0 : 1))
        #expect(wire.replica.state(of: wire.sender) == .live)
        #expect(wire.areEqual)
        let status = try #require(wire.replica.streamStatus(now: wire.now).first)
        #expect(status.applied == 3)
        #expect(status.lastRepair != nil)
    }

    @Test func `the loss of the last batch is noticed by the next heads`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        try wire.write("User", "1", ["age": 1])
        wire.flush()
        wire.stream.removeAll()
        try wire.pass(milliseconds: 600)
        wire.deliverAll()
        try wire.pass(milliseconds: 200)
        #expect(wire.replica.counters[.holesFound] == 1)
        #expect(wire.areEqual)
    }

    @Test func `a differing digest at equal heads is found and mended`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1])
        try wire.becomeLive()
        // Damage that no sequence shows: a model that the origin knows and the replica does not.
        let other = try Wire.makeOrigin(name: "origin")
        let stranger = BatchOf("User", id: "2", fields: ["age": 2], stamp: other.incarnation &+ 5)
        stranger.apply(to: wire.origin.cache)
        try wire.pass(milliseconds: 600)
        wire.deliverAll()
        try wire.pass(milliseconds: 200)
        #expect(wire.replica.counters[.digestMismatches] == 1)
        #expect(wire.replica.cache["User", "2"]?["age"] == 2)
        #expect(wire.areEqual)
    }

    @Test func `a new incarnation is met with a snapshot and what it no longer has stays until it is deleted`() throws {
        var wire = try Wire()
        try wire.write("User", "old", ["age": 1])
        try wire.becomeLive()
        wire.origin = try Wire.makeOrigin(after: wire.origin.incarnation &+ (1 << 20))
        try wire.write("User", "new", ["age": 2])
        wire.flush()
        wire.deliverAll()
        try wire.pass(milliseconds: 100)
        #expect(wire.replica.counters[.newIncarnations] == 1)
        #expect(wire.replica.cache["User", "new"]?["age"] == 2)
        #expect(wire.replica.cache["User", "old"]?["age"] == 1)
        #expect(wire.notices.contains { $0.kind == .newIncarnation })
    }

    @Test func `two incarnations that send in turns are reported`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        // It began a moment after the first, and what both write comes after that.
        var second = try Wire.makeOrigin(after: wire.origin.incarnation &+ 2)
        for id in 0..<40 {
            try wire.write("User", "\(id)", ["age": 1])
            wire.flush()
            wire.deliverAll()
            _ = try second.write(
                .merge, type: "User", id: "x\(id)", fields: try EncodedFields(["age": 1]), now: wire.now)
            second.flush()
            for case .publish(let topic, let payload) in second.takeActions() {
                wire.replica.receiveStream(wire.sender, topic: topic.bytes.span, payload: payload.span, now: wire.now)
            }
        }
        #expect(wire.replica.counters[.incarnationConflicts] == 1)
        try wire.exchange()
        #expect(wire.notices.contains { $0.kind == .incarnationConflict })
    }

    @Test func `what an earlier start has sent is no second process, however late it comes`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        for id in 0..<40 {
            try wire.write("User", "\(id)", ["age": 1])
            wire.flush()
        }
        var second = try Wire.makeOrigin(after: wire.origin.lastStamp)
        _ = try second.write(
            .merge, type: "User", id: "x", fields: try EncodedFields(["age": 1]), now: wire.now)
        second.flush()
        for case .publish(let topic, let payload) in second.takeActions() {
            wire.replica.receiveStream(wire.sender, topic: topic.bytes.span, payload: payload.span, now: wire.now)
        }
        wire.deliverAll()
        #expect(wire.replica.counters[.olderIncarnationBatches] >= 40)
        #expect(wire.replica.counters[.incarnationConflicts] == 0)
    }

    @Test func `silence makes the state stale, and contact begins anew`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1])
        try wire.becomeLive()
        try wire.pass(milliseconds: 1_600)
        #expect(wire.replica.state(of: wire.sender) == .stale)
        #expect(wire.reconnects == 1)
        #expect(wire.replica.cache["User", "1"]?["age"] == 1)
        wire.stream.removeAll()
        try wire.becomeLive()
        #expect(wire.areEqual)
    }

    @Test func `after a silence what comes shows before what was missed, and live is only who has both`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1])
        try wire.becomeLive()
        try wire.pass(milliseconds: 1_600)
        try wire.write("User", "1", ["age": 2])
        wire.flush()
        wire.stream.removeAll()
        wire.holdsReplies = true
        wire.replica.connected(wire.sender, now: wire.now)
        try wire.exchange()
        wire.deliverReply()
        try wire.exchange()
        try wire.write("User", "1", ["name": "Ada"])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache["User", "1"]?.values == ["age": 1, "name": "Ada"])
        #expect(wire.replica.state(of: wire.sender) == .stale)
        #expect(wire.replica.streamStatus(now: wire.now).allSatisfy { $0.state == .stale })
        while !wire.heldReplies.isEmpty { wire.deliverReply() }
        #expect(wire.replica.cache["User", "1"]?.values == ["age": 2, "name": "Ada"])
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `bye makes the state stale at once`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        wire.origin.stop(now: wire.now)
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.state(of: wire.sender) == .stale)
        try wire.exchange()
        #expect(wire.notices.contains { $0.kind == .senderStopped })
    }

    @Test func `a batch from the future is rejected and counted`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        wire.time += 400_000_000
        try wire.write("User", "1", ["age": 1])
        wire.flush()
        wire.time -= 400_000_000
        wire.deliverAll()
        #expect(wire.replica.counters[.clockRejectedBatches] == 1)
        #expect(wire.replica.cache["User", "1"] == nil)
        #expect(wire.replica.state(of: wire.sender) == .repairing)
        #expect(wire.replica.streamStatus(now: wire.now).first?.applied == 0)
    }

    @Test func `what was rejected for its clock is fetched once the clocks agree`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        wire.time += 400_000_000
        try wire.write("User", "1", ["age": 1])
        wire.flush()
        wire.time -= 400_000_000
        wire.deliverAll()
        // The replica's wall clock is set right by a jump; heartbeats keep contact meanwhile.
        wire.wallOffsetMilliseconds = 400_000
        for _ in 0..<12 {
            try wire.pass(milliseconds: 500)
            wire.deliverAll()
        }
        #expect(wire.replica.cache["User", "1"]?["age"] == 1)
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `what was rejected for its clock is not taken for fetched from a relay that never had it`() throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        try mesh.write(0, "User", "1", ["age": 1])
        try mesh.connect()
        mesh.time += 304_000_000
        let fields = try EncodedFields(["age": 2])
        _ = try mesh.origins[0].write(.merge, type: "User", id: "1", fields: fields, now: mesh.now)
        mesh.time -= 304_000_000
        try mesh.pump(0, to: [0], via: [0])
        #expect(mesh.replica.counters[.clockRejectedBatches] == 1)
        mesh.pass(milliseconds: 12_000)
        #expect(mesh.replica.cache["User", "1"]?["age"] == 2)
        #expect(mesh.senders.allSatisfy { mesh.replica.state(of: $0) == .live })
    }

    @Test func `after a restart with other models the digests are not compared`() throws {
        var wire = try Wire()
        try wire.write("User", "old", ["age": 1])
        try wire.becomeLive()
        wire.origin = try Wire.makeOrigin(after: wire.origin.incarnation &+ (1 << 20))
        try wire.write("User", "new", ["age": 2])
        wire.flush()
        for _ in 0..<20 {
            wire.deliverAll()
            try wire.pass(milliseconds: 500)
        }
        #expect(wire.replica.counters[.digestMismatches] == 0)
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `a transaction whose part never comes is let go and counted`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        // It names a topic on which it sends nothing, and its heads say so.
        let (topic, other) = (Topic.data(type: "A"), Topic.data(type: "B"))
        let (incarnation, stamp) = (wire.origin.incarnation, wire.origin.incarnation + 1)
        var writer = BatchWriter()
        try writer.append(.merge, stamp: stamp, id: "1", fields: ["n": 1])
        let batch = writer.finish(
            origin: "origin", incarnation: incarnation, sequence: 1, group: [topic, other])
        let heads = Heads(
            origin: "origin", incarnation: incarnation, stamp: stamp, heads: [TopicHead(topic: topic, sequence: 1)])
        wire.stream += [(topic, batch), (.heads(origin: "origin"), heads.encode())]
        for _ in 0..<4 {
            wire.deliverAll()
            #expect(wire.replica.cache["A", "1"] == nil)
            try wire.pass(milliseconds: 500)
        }
        // Its copy is asked for, and does not bring it.
        for _ in 0..<20 {
            wire.deliverAll()
            try wire.pass(milliseconds: 500)
        }
        #expect(wire.replica.cache["A", "1"] == nil)
        for _ in 0..<60 {
            wire.deliverAll()
            try wire.pass(milliseconds: 500)
        }
        // Ever more rarely.
        #expect(wire.snapshotCount <= 12)
        #expect(wire.replica.counters[.incompleteGroups] == 1)
        #expect(wire.notices.contains { $0.kind == .incompleteTransactions })
        #expect(wire.replica.cache["A", "1"] != nil)
    }

    @Test(arguments: [[], [0], [0xFF], Array("m/User/".utf8), Array("h/x".utf8), [0x86, 0, 0x61]] as [[UInt8]])
    func `any bytes on any topic are dropped and counted`(bytes: [UInt8]) throws {
        var wire = try Wire()
        try wire.becomeLive()
        for topic in [[], [0xFF], Array("m/User/".utf8), Array("m/".utf8), Array("h/origin".utf8), [7]] as [[UInt8]] {
            let before = wire.replica.counters[.malformedFrames] + wire.replica.counters[.unknownKinds]
            wire.replica.receiveStream(wire.sender, topic: topic.span, payload: bytes.span, now: wire.now)
            let after = wire.replica.counters[.malformedFrames] + wire.replica.counters[.unknownKinds]
            #expect(after == before + 1)
        }
        wire.replica.receiveControl(wire.sender, bytes.span, now: wire.now)
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `a replica of one type takes nothing of another`() throws {
        var wire = try Wire(prefixes: [Array("m/User/".utf8)])
        try wire.write("User", "1", ["age": 1])
        try wire.write("UserCard", "1", ["age": 1])
        try wire.becomeLive()
        try wire.write("UserCard", "2", ["age": 1])
        try wire.write("User", "2", ["age": 1])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache.count(of: "User") == 2)
        #expect(wire.replica.cache.count(of: "UserCard") == 0)
    }

    @Test func `a request without an answer is sent three times in 14 seconds, and then the connection is dead`() throws
    {
        var wire = try Wire()
        wire.answer = { _, _ in [] }
        wire.replica.connected(wire.sender, now: wire.now)
        var counts: [Int] = []
        for end in [1_900, 2_100, 5_900, 6_100, 13_900] as [UInt64] {
            try wire.pass(milliseconds: end - wire.time / 1_000)
            counts.append(wire.requests.count)
        }
        #expect(counts == [1, 2, 2, 3, 3])
        #expect(wire.reconnects == 0)
        try wire.pass(milliseconds: 200)
        #expect(wire.reconnects == 1)
        #expect(wire.requests.count == 3)
    }

    @Test func `a report tells the sender the state and what was applied`() throws {
        var wire = try Wire()
        try wire.write("User", "1", ["age": 1])
        try wire.becomeLive()
        try wire.pass(milliseconds: 10)
        let peer = try #require(wire.origin.connectedPeers.first)
        #expect(peer.name == "replica")
        #expect(peer.isLive)
        #expect(wire.origin.isApplied(by: peer))
        try wire.write("User", "1", ["age": 2])
        wire.flush()
        #expect(!wire.origin.isApplied(by: peer))
    }
}

/// One update that bypasses an origin's bookkeeping.
private struct BatchOf {
    let type: String
    let id: String
    let fields: Fields
    let stamp: Stamp

    init(_ type: String, id: String, fields: Fields, stamp: Stamp) {
        self.type = type
        self.id = id
        self.fields = fields
        self.stamp = stamp
    }

    func apply(to cache: ModelCache) {
        var writer = BatchWriter()
        guard (try? writer.append(.merge, stamp: stamp, id: id, fields: fields)) != nil else { return }
        let frame = writer.finish(origin: "origin", incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        guard (try? decoder.decode(frame.span)) != nil else { return }
        cache.commit(decoder.batch(in: frame.span), type: type)
    }
}
