import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Transactions over several topics stay one step, whatever was lost and however it was repaired.
@Suite struct TransactionRepairTests {
    private static let types = ["Account", "Audit", "Balance"]

    private func entries(_ id: Int, _ value: Int) throws -> WriteBatch {
        var writes = WriteBatch(limits: .default)
        for type in Self.types {
            try writes.append(.merge, type: type, id: "\(id)", fields: ["n": .int(Int64(value))])
        }
        return writes
    }

    /// All models of one id hold one value.
    private func torn(_ cache: ModelCache, ids: Int) -> String? {
        let snapshot = cache.snapshot()
        for id in 0..<ids {
            let values = Self.types.map { snapshot[$0, "\(id)"]?["n"] }
            if values[0] != values[1] || values[1] != values[2] { return "\(id): \(values)" }
        }
        return nil
    }

    /// The batches of the one transaction that the origin has open, a part for each type.
    private func takeParts(of origin: inout Origin) throws -> [(Topic, [UInt8])] {
        let parts = origin.takeActions().compactMap { action -> (Topic, [UInt8])? in
            guard case .publish(let topic, let payload) = action, topic.type != nil else { return nil }
            return (topic, payload)
        }
        try #require(parts.count == Self.types.count)
        return parts
    }

    private static func gone(_ request: ControlRequest, _ sent: Wire.Sent) -> [ControlReply]? {
        guard case .replay(let rid, _, _, _, _, _) = request else { return nil }
        return [.gone(rid: rid, oldest: 1 << 40)]
    }

    @Test(arguments: [false, true])
    func `a lost part that is repaired becomes visible together with the others`(isGone: Bool) throws {
        var wire = try Wire()
        try wire.becomeLive()
        wire.answer = isGone ? Self.gone : Wire.replays
        wire.holdsReplies = true
        for value in 1...3 {
            _ = try wire.origin.transaction(try entries(0, value), now: wire.now)
            wire.flush()
        }
        wire.stream.remove(at: 4)
        wire.deliverAll()
        #expect(torn(wire.replica.cache, ids: 1) == nil)
        for _ in 0..<40 {
            try wire.pass(milliseconds: 10)
            wire.deliverReply()
            #expect(torn(wire.replica.cache, ids: 1) == nil)
        }
        #expect(wire.replica.cache["Audit", "0"]?["n"] == 3)
        #expect(wire.areEqual)
        #expect(wire.replica.counters[.incompleteGroups] == 0)
    }

    @Test func `of a stored state in which transactions were no topic is taken without the others`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        _ = try wire.origin.transaction(try entries(0, 1), now: wire.now)
        wire.flush()
        wire.deliverAll()
        let positions = wire.replica.positions
        #expect(positions.count == 3 && positions.allSatisfy { $0.hasTransactions })
        let restored = Replica(
            configuration: wire.replica.configuration, cache: wire.replica.cache, now: wire.now, seed: 2)
        restored.restore(positions, now: wire.now)
        #expect(restored.positions.allSatisfy { $0.hasTransactions })
        let forgetful = Replica(
            configuration: wire.replica.configuration, cache: wire.replica.cache, now: wire.now, seed: 2)
        forgetful.restore(
            positions.map { position in
                var position = position
                position.hasTransactions = false
                return position
            }, now: wire.now)
        #expect(!forgetful.positions.contains { $0.hasTransactions })
    }

    @Test func `no reader ever sees half of a transaction while the replica is live or repairing`() {
        forEachSeed(2_000) { _, generator in
            var wire = try Wire()
            _ = try wire.origin.transaction(try self.entries(0, 1), now: wire.now)
            wire.flush()
            try wire.becomeLive()
            _ = try wire.origin.transaction(try self.entries(0, 2), now: wire.now)
            wire.flush()
            wire.deliverAll()
            let goneShare = [0, 50, 100].randomElement(using: &generator) ?? 0
            var chance = generator
            wire.answer = { request, sent in
                Int.random(in: 0..<100, using: &chance) < goneShare
                    ? Self.gone(request, sent) : Wire.replays(request, sent)
            }
            wire.holdsReplies = true
            let reorders = Bool.random(using: &generator)
            for step in 0..<80 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0, 1:
                    let id = Int.random(in: 0..<3, using: &generator)
                    _ = try wire.origin.transaction(try self.entries(id, step + 10), now: wire.now)
                    wire.flush()
                case 2:
                    if let first = wire.stream.first, first.topic.type != nil { wire.stream.removeFirst() }
                case 3: wire.deliverReply()
                case 4: try wire.pass(milliseconds: 20)
                default:
                    guard !wire.stream.isEmpty else { continue }
                    wire.deliver(reorders ? Int.random(in: wire.stream.indices, using: &generator) : 0)
                }
                let torn = self.torn(wire.replica.cache, ids: 3)
                try #require(torn == nil)
            }
            wire.holdsReplies = false
            while !wire.heldReplies.isEmpty { wire.deliverReply() }
            for _ in 0..<14 {
                wire.deliverAll()
                try wire.pass(milliseconds: 500)
                let torn = self.torn(wire.replica.cache, ids: 3)
                try #require(torn == nil)
            }
            try #require(wire.areEqual)
            try #require(wire.replica.state(of: wire.sender) == .live)
        }
    }

    @Test func `who joins a relay between two parts asks for the first again and sees both in one step`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay")
        network.connect(.relay(0), to: .origin(0))
        // The publisher's heads go out at each half second.
        network.run(milliseconds: 1_020)
        _ = try network.origins[0].transaction(try entries(0, 1), now: network.now)
        let (topic, payload) = try takeParts(of: &network.origins[0])[0]
        let sender = network.links[0].sender
        network.relays[0].receiveStream(sender, topic: topic.bytes.span, payload: payload.span, now: network.now)
        network.carryOutAll()
        #expect(network.sent[0]?.count == 1)
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 200)
        let replica = network.replicas[0]
        #expect(replica.state(of: network.links[1].sender) == .live)
        #expect(replica.counters[.holesFound] == 0)
        for _ in 0..<2_000 where replica.cache.types.isEmpty {
            network.run(milliseconds: 1)
            #expect(torn(replica.cache, ids: 1) == nil)
        }
        #expect(replica.cache["Account", "0"]?["n"] == 1)
        #expect(torn(replica.cache, ids: 1) == nil)
        // For the part that had been sent on before, and for no other.
        #expect(replica.counters[.holesFound] == 1)
        #expect(replica.counters[.holesMendedByReplay] == 1)
        #expect(replica.counters[.incompleteGroups] == 0)
    }

    @Test func `a part is held for as long as the relay that sent it on waits for another part itself`() throws {
        var mesh = try Mesh(relays: 1, origins: 1)
        try mesh.connect()
        _ = try mesh.origins[0].transaction(try entries(0, 1), now: mesh.now)
        try mesh.pump(0)
        _ = try mesh.origins[0].transaction(try entries(0, 2), now: mesh.now)
        let parts = try takeParts(of: &mesh.origins[0])
        let (topic, payload) = parts[0]
        mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: mesh.now)
        for _ in 0..<20 {
            mesh.pass(milliseconds: 500)
            #expect(mesh.replica.cache["Account", "0"]?["n"] == 1)
        }
        for (topic, payload) in parts { try mesh.relays[0].take(topic, payload) }
        for _ in 0..<200 {
            mesh.pass(milliseconds: 5)
            #expect(torn(mesh.replica.cache, ids: 1) == nil)
        }
        #expect(mesh.replica.cache["Account", "0"]?["n"] == 2)
        #expect(mesh.replica.counters[.incompleteGroups] == 0)
    }

    @Test func `of a transaction that a relay tells in part, for a hole of its own, its copy brings the rest`() throws {
        var mesh = try Mesh(relays: 1, origins: 1)
        try mesh.connect()
        _ = try mesh.origins[0].transaction(try entries(0, 1), now: mesh.now)
        try mesh.pump(0)
        // The relay has everything but this, and tells no head of its topic beyond it.
        let type = Self.types[2]
        try mesh.write(0, type, "1", ["n": 7], to: [], via: [])
        _ = try mesh.origins[0].transaction(try entries(0, 2), now: mesh.now)
        for case .publish(let topic, let payload) in mesh.origins[0].takeActions() where topic.type != nil {
            try mesh.relays[0].take(topic, payload)
            guard topic.type != type else { continue }
            mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: mesh.now)
        }
        for stream in mesh.relays[0].heads.keys where stream.topic.type == type { mesh.relays[0].heads[stream] = 1 }
        for _ in 0..<2_000 {
            mesh.pass(milliseconds: 5)
            #expect(torn(mesh.replica.cache, ids: 1) == nil)
        }
        #expect(mesh.replica.cache[type, "0"]?["n"] == 2)
        #expect(mesh.replica.counters[.incompleteGroups] == 0)
        #expect(mesh.replica.counters[.holesMendedBySnapshot] == 1)
        #expect(mesh.isEqual(to: 0))
    }

    /// - Parameter silence: for so many turns of 5 ms no heads tell of any part.
    @Test(arguments: [0, 6_200])
    func `a part that is lost with all the heads that tell of it comes with its publisher's copy`(
        silence: Int
    ) throws {
        var wire = try Wire()
        for type in Self.types.dropLast() { try wire.write(type, "0", ["n": 0]) }
        wire.flush()
        try wire.becomeLive()
        _ = try wire.origin.transaction(try entries(0, 1), now: wire.now)
        wire.flush()
        let lost = Topic.data(type: Self.types[2])
        wire.stream.removeAll { $0.topic == lost }
        for turn in 0..<silence + 2_600 {
            try wire.pass(milliseconds: 5)
            for index in wire.stream.indices {
                let payload = wire.stream[index].payload
                guard case .heads(var heads) = try StreamFrame(decoding: payload.span) else {
                    continue
                }
                heads.heads.removeAll { turn < silence || $0.topic == lost }
                wire.stream[index].payload = heads.encode()
            }
            wire.deliverAll()
            let values = Self.types.map { wire.replica.cache[$0, "0"]?["n"] }
            #expect(values == [0, 0, nil] || values == [1, 1, 1])
        }
        #expect(wire.areEqual)
        #expect(wire.replica.counters[.incompleteGroups] == 0)
    }

    @Test func `a transaction of which a relay tells a part and gives no more is let go in the end`() throws {
        var mesh = try Mesh(relays: 1, origins: 1)
        try mesh.connect()
        _ = try mesh.origins[0].transaction(try entries(0, 1), now: mesh.now)
        try mesh.pump(0)
        _ = try mesh.origins[0].transaction(try entries(0, 2), now: mesh.now)
        for case .publish(let topic, let payload) in mesh.origins[0].takeActions() where topic.type == Self.types[0] {
            try mesh.relays[0].take(topic, payload)
            mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: mesh.now)
        }
        // Its copy is never to be had.
        mesh.relays[0].answer = { request in
            guard case .snapshot(let rid, _, _) = request else { return nil }
            return [.error(rid: rid, code: .busy, message: "busy")]
        }
        mesh.pass(milliseconds: 20_000)
        #expect(mesh.replica.cache[Self.types[0], "0"]?["n"] == 1)
        #expect(mesh.replica.state(of: mesh.senders[0]) == .repairing)
        mesh.pass(milliseconds: 30_000)
        #expect(mesh.replica.cache[Self.types[0], "0"]?["n"] == 2)
        #expect(mesh.replica.counters[.incompleteGroups] == 1)
        #expect(mesh.replica.state(of: mesh.senders[0]) == .live)
    }

    /// - Parameter seconds: for how long the relay that has brought a part is away; nil where it never comes back.
    @Test(arguments: [10, nil] as [UInt64?])
    func `a part of a publisher that only a sender knows which is away is held while that may come back`(
        seconds: UInt64?
    ) throws {
        let configuration = ReplicaConfiguration(name: "replica", tombstoneRetention: .seconds(20))
        var mesh = try Mesh(relays: 2, origins: 1, configuration: configuration)
        try mesh.connect()
        _ = try mesh.origins[0].transaction(try entries(0, 1), now: mesh.now)
        let parts = try takeParts(of: &mesh.origins[0])
        let (topic, payload) = parts[0]
        mesh.replica.receiveStream(mesh.senders[0], topic: topic.bytes.span, payload: payload.span, now: mesh.now)
        mesh.silent = [0]
        mesh.pass(milliseconds: (seconds ?? 28) * 1_000)
        #expect(mesh.replica.cache["Account", "0"] == nil)
        guard seconds != nil else {
            mesh.pass(milliseconds: 5_000)
            #expect(mesh.replica.cache["Account", "0"]?["n"] == 1)
            #expect(mesh.replica.counters[.incompleteGroups] == 1)
            return
        }
        for (topic, payload) in parts { try mesh.relays[0].take(topic, payload) }
        mesh.silent = []
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        for _ in 0..<200 {
            mesh.pass(milliseconds: 5)
            #expect(torn(mesh.replica.cache, ids: 1) == nil)
        }
        #expect(mesh.replica.cache["Account", "0"]?["n"] == 1)
        #expect(mesh.replica.counters[.incompleteGroups] == 0)
    }

    @Test func `the first transactions of a publisher that are lost as a whole come back as one step`() throws {
        var wire = try Wire(replayByteCount: 0)
        for type in Self.types { try wire.write(type, "0", ["n": 0]) }
        wire.flush()
        try wire.becomeLive()
        wire.holdsReplies = true
        _ = try wire.origin.transaction(try entries(0, 1), now: wire.now)
        wire.flush()
        wire.stream.removeAll()
        for _ in 0..<400 {
            try wire.pass(milliseconds: 5)
            wire.deliverAll()
            wire.deliverReply()
            #expect(torn(wire.replica.cache, ids: 1) == nil)
        }
        #expect(wire.replica.cache["Audit", "0"]?["n"] == 1)
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `a second sender's first snapshot shows no half of a transaction that is under way`() throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        mesh.silent = [1]
        mesh.replica.connected(mesh.senders[0], now: mesh.now)
        mesh.exchange()
        for value in 1...2 {
            _ = try mesh.origins[0].transaction(try entries(0, value), now: mesh.now)
            try mesh.pump(0, via: [0])
        }
        // The second relay is ahead of what has reached the replica.
        _ = try mesh.origins[0].transaction(try entries(0, 3), now: mesh.now)
        try mesh.pump(0, via: [])
        mesh.silent = []
        let cache = mesh.replica.cache
        var torn: [String] = []
        mesh.afterReply = {
            if let half = self.torn(cache, ids: 1) { torn.append(half) }
        }
        mesh.replica.connected(mesh.senders[1], now: mesh.now)
        mesh.exchange()
        #expect(torn.isEmpty)
        #expect(mesh.replica.cache["Balance", "0"]?["n"] == 3)
    }
}
