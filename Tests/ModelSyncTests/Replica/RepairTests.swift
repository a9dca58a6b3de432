import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// The repair ladder towards one sender and towards several.
@Suite struct RepairTests {
    /// A live wire whose origin can replay, with `count` batches waiting in its stream.
    private func wire(
        _ count: Int, answer: @escaping (ControlRequest, Wire.Sent) -> [ControlReply]? = Wire.replays
    )
        throws -> Wire
    {
        var wire = try Wire()
        try wire.becomeLive()
        wire.answer = answer
        for id in 0..<count {
            try wire.write("User", "\(id)", ["age": .int(Int64(id))])
            wire.flush()
        }
        return wire
    }

    @Test func `only what is missing is asked for again`() throws {
        var wire = try wire(10)
        for index in [8, 4, 3] { wire.stream.remove(at: index) }
        wire.deliverAll()
        try wire.pass(milliseconds: 100)
        #expect(wire.replayed == [4...5, 9...9])
        #expect(wire.snapshotCount == 1)
        #expect(wire.areEqual)
        #expect(wire.replica.counters[.holesMendedByReplay] == 1)
        #expect(wire.replica.counters[.replayedBatches] == 3)
        let status = try #require(wire.replica.streamStatus(now: wire.now).first)
        #expect(status.holesMended[.replay] == 1)
        #expect(status.reason == "batch beyond the next, mended by replay")
        #expect(wire.notices.contains { $0.kind == .holeMended && $0.metadata["by"] == "replay" })
    }

    @Test func `a long hole is asked for range after range`() throws {
        var wire = try wire(200)
        wire.stream.removeFirst(150)
        wire.deliverAll()
        try wire.pass(milliseconds: 100)
        #expect(wire.replayed == [1...64, 65...128, 129...150])
        #expect(wire.areEqual)
    }

    @Test func `what has come meanwhile is not asked for`() throws {
        var wire = try wire(100)
        let first = wire.stream.prefix(99)
        wire.stream.removeFirst(99)
        wire.deliverAll()
        var isFirst = true
        let replica = wire.replica
        let (sender, now) = (wire.sender, wire.now)
        wire.answer = { request, sent in
            guard case .replay = request else { return nil }
            if isFirst {
                isFirst = false
                for message in first.dropFirst(64).prefix(30) {
                    replica.receiveStream(
                        sender, topic: message.topic.bytes.span, payload: message.payload.span, now: now)
                }
            }
            return Wire.replays(request, sent)
        }
        try wire.pass(milliseconds: 100)
        #expect(wire.replayed == [1...64, 95...99])
        #expect(wire.areEqual)
    }

    @Test func `what is gone, or more than may be replayed, comes by a snapshot`() throws {
        var gone = try wire(3) { request, _ in
            guard case .replay(let rid, _, _, _, _, _) = request else { return nil }
            return [.gone(rid: rid, oldest: 3)]
        }
        gone.stream.removeFirst(2)
        gone.deliverAll()
        try gone.pass(milliseconds: 100)
        #expect(gone.replayed == [1...2])
        #expect(gone.replica.counters[.holesMendedBySnapshot] == 1)
        #expect(gone.areEqual)

        var many = try wire(5_000)
        many.stream.removeFirst(4_999)
        many.deliverAll()
        try many.pass(milliseconds: 100)
        #expect(many.replayed.isEmpty)
        #expect(many.replica.counters[.holesMendedBySnapshot] == 1)
        #expect(many.areEqual)
    }

    @Test func `what a replay brings is not merged where its deletion may be forgotten: a copy is taken`() throws {
        var wire = try wire(3)
        try wire.write("User", "0", as: .delete)
        wire.flush()
        wire.stream.removeFirst()
        // Deletes are remembered for a day.
        wire.wallOffsetMilliseconds = 13 * 3600 * 1000
        wire.deliverAll()
        try wire.pass(milliseconds: 200)
        #expect(wire.replayed == [1...1])
        #expect(wire.replica.counters[.replayedBatches] == 0)
        #expect(wire.replica.counters[.expiredBatches] == 1)
        #expect(wire.replica.counters[.holesMendedBySnapshot] == 1)
        #expect(wire.areEqual)
    }

    @Test(arguments: [ControlErrorCode.busy, .denied, .internalError])
    func `a sender that refuses for ever is asked ever more rarely`(code: ControlErrorCode) throws {
        var wire = try wire(3) { request, _ in
            switch request {
            case .replay(let rid, _, _, _, _, _), .snapshot(let rid, _, _):
                return [.error(rid: rid, code: code, message: "no")]
            default: return nil
            }
        }
        wire.stream.remove(at: 1)
        wire.deliverAll()
        for _ in 0..<240 {
            try wire.pass(milliseconds: 500)
            wire.deliverAll()
        }
        let count = wire.replayed.count + wire.snapshotCount
        // In 120 s: the pauses double from 0.1 s to 10 s, half of each is chance.
        #expect((15...40).contains(count), "\(count) requests")
        #expect(wire.replica.state(of: wire.sender) == .repairing)
        wire.answer = Wire.replays
        for _ in 0..<24 {
            try wire.pass(milliseconds: 500)
            wire.deliverAll()
        }
        #expect(wire.areEqual)
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `a claimed head of 2^63 makes no unbounded work, and what is sent goes on being applied`() throws {
        var wire = try wire(1)
        wire.deliverAll()
        let status = try #require(wire.replica.streamStatus(now: wire.now).first)
        let lie = Heads(
            origin: "origin", incarnation: status.incarnation, stamp: 1,
            heads: [
                TopicHead(topic: status.topic, sequence: 1 << 63), TopicHead(topic: .data(type: "Lie"), sequence: .max),
            ])
        wire.replica.receiveStream(
            wire.sender, topic: Array("h/origin".utf8).span, payload: lie.encode().span, now: wire.now)
        for id in 0..<120 {
            try wire.pass(milliseconds: 500)
            try wire.write("User", "more-\(id)", ["age": 1])
            wire.flush()
            wire.deliverAll()
        }
        #expect(wire.replayed.isEmpty)
        #expect(wire.snapshotCount < 40)
        #expect(wire.replica.state(of: wire.sender) == .repairing)
        #expect(wire.areEqual)
        // Counted, and no more is remembered than the two streams that were lied about.
        #expect(wire.replica.counters[.holesFound] == 2)
        let told = wire.replica.streamStatus(now: wire.now)
        #expect(told.count == 2)
        #expect(told.allSatisfy { $0.reason == "head beyond the applied" })
        #expect(told.contains { $0.missing > 1 << 62 })
    }

    @Test func `replies that nobody asked for change nothing and are counted`() throws {
        var wire = try wire(4)
        wire.stream.remove(at: 1)
        let other = wire.sent[.data(type: "User")]?[3] ?? []
        wire.answer = { request, sent in
            guard case .replay(let rid, _, _, let topic, _, _) = request else { return nil }
            return [
                .frame(rid: rid, topic: .data(type: "Order"), batch: sent[topic]?[1] ?? []),
                .frame(rid: rid, topic: topic, batch: other),
                .frame(rid: rid + 7, topic: topic, batch: sent[topic]?[1] ?? []),
                .digests(rid: rid, heads: [], digests: [UInt64](repeating: 0, count: 256)),
            ] + (Wire.replays(request, sent) ?? [])
        }
        wire.deliverAll()
        try wire.pass(milliseconds: 100)
        #expect(wire.replica.counters[.unaskedReplies] == 4)
        #expect(wire.replica.counters[.replayedBatches] == 1)
        #expect(wire.areEqual)
    }

    @Test func `a batch that stays malformed is left out, and its topic comes by a snapshot`() throws {
        var wire = try wire(4) { request, sent in
            guard case .replay(let rid, _, _, let topic, _, _) = request else { return nil }
            return (Wire.replays(request, sent) ?? []).map { reply in
                guard case .frame = reply else { return reply }
                return .frame(rid: rid, topic: topic, batch: [0x86, 0])
            }
        }
        wire.stream[1].payload = [0x86, 0]
        wire.deliverAll()
        try wire.pass(milliseconds: 300)
        let status = try #require(wire.replica.streamStatus(now: wire.now).first)
        #expect(status.quarantined == 1)
        #expect(status.quarantinedSequences == [2])
        #expect(status.holesMended[.quarantine] == 1)
        #expect(wire.replica.counters[.quarantinedBatches] == 1)
        #expect(wire.notices.count { $0.kind == .quarantined && $0.metadata["sequence"] == "2" } == 1)
        #expect(wire.areEqual)
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `what was left out counts as applied only when a snapshot has brought it`() throws {
        let replay = { (request: ControlRequest, sent: Wire.Sent) -> [ControlReply]? in
            guard case .replay(let rid, _, _, let topic, _, _) = request else { return nil }
            return (Wire.replays(request, sent) ?? []).map { reply in
                guard case .frame = reply else { return reply }
                return .frame(rid: rid, topic: topic, batch: [0x86, 0])
            }
        }
        var wire = try wire(4) { request, sent in
            if case .snapshot(let rid, _, _) = request { return [.error(rid: rid, code: .busy, message: "later")] }
            return replay(request, sent)
        }
        wire.stream[1].payload = [0x86, 0]
        wire.deliverAll()
        try wire.pass(milliseconds: 300)
        #expect(wire.replica.counters[.quarantinedBatches] == 1)
        // What a store keeps, and what a relay tells: whoever took it over would never ask for the second.
        #expect(wire.replica.positions.map(\.applied) == [1])
        wire.answer = replay
        try wire.pass(milliseconds: 1_000)
        #expect(wire.replica.positions.map(\.applied) == [4])
        #expect(wire.areEqual)
    }

    @Test(arguments: [false, true])
    func `when one relay fails the other is asked`(isSilent: Bool) throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        try mesh.connect()
        try mesh.write(0, "User", "1", ["age": 1])
        mesh.tell(0)
        mesh.tell(1)
        // Only the first relay has lost it; the replica hears the first relay last.
        try mesh.write(0, "User", "2", ["age": 2], to: [1], via: [])
        try mesh.write(0, "User", "3", ["age": 3], via: [1, 0])
        if isSilent { mesh.relays[0].answer = { _ in [] } }
        for _ in 0..<10 { mesh.pass(milliseconds: 500) }
        #expect(mesh.replica.counters[.holesMendedByReplay] == 1)
        #expect(mesh.isEqual(to: 1))
        #expect(mesh.relays[0].requests.contains { if case .replay = $0 { true } else { false } })
        #expect(mesh.senders.allSatisfy { mesh.replica.state(of: $0) == .live })
    }

    @Test func `no repair pauses for longer than an eighth of the time for which deletes are remembered`() throws {
        var wire = try Wire(tombstoneRetention: .seconds(8))
        try wire.becomeLive()
        wire.answer = { request, _ in
            switch request {
            case .replay(let rid, _, _, _, _, _), .snapshot(let rid, _, _):
                [.error(rid: rid, code: .busy, message: "later")]
            default: nil
            }
        }
        for id in 0..<2 {
            try wire.write("User", "\(id)", ["age": 1])
            wire.flush()
        }
        wire.stream.removeFirst()
        wire.deliverAll()
        var (last, longest) = (wire.time, UInt64(0))
        for _ in 0..<600 {
            wire.requests = []
            try wire.pass(milliseconds: 50)
            wire.deliverAll()
            let hasAsked = wire.requests.contains { request in
                switch request {
                case .replay, .snapshot: true
                default: false
                }
            }
            if hasAsked { last = wire.time }
            longest = max(longest, wire.time - last)
        }
        #expect((500_000...1_100_000).contains(longest))
    }

    @Test func `a repair whose relay is lost goes on with the other`() throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        try mesh.connect()
        try mesh.write(0, "User", "1", ["age": 1])
        mesh.tell(0)
        mesh.tell(1)
        try mesh.write(0, "User", "2", ["age": 2], via: [])
        try mesh.write(0, "User", "3", ["age": 3], via: [1, 0])
        mesh.relays[0].answer = { _ in [] }
        mesh.pass(milliseconds: 100)
        #expect(mesh.replica.counters[.replaysRequested] == 1)
        mesh.replica.disconnected(mesh.senders[0], reason: "gone", now: mesh.now)
        mesh.pass(milliseconds: 100)
        #expect(mesh.replica.counters[.holesMendedByReplay] == 1)
        #expect(mesh.isEqual(to: 1))
    }

    @Test func `a replay whose sender dies in the middle goes on where it stopped, with the other`() throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        try mesh.connect()
        try mesh.write(0, "User", "0", ["age": 1])
        mesh.tell(0)
        mesh.tell(1)
        for id in 1...150 { try mesh.write(0, "User", "\(id)", ["age": 1], via: []) }
        try mesh.write(0, "User", "last", ["age": 1], via: [1, 0])
        let dying = mesh.relays[0]
        dying.answer = { request in
            guard case .replay(let rid, let origin, let incarnation, let topic, let first, _) = request else {
                return nil
            }
            // Forty of the 64 that were asked for, and then nothing more.
            dying.answer = { _ in [] }
            let held = dying.ring[.init(origin: origin, incarnation: incarnation, topic: topic)] ?? [:]
            return (first..<first + 40).map { .frame(rid: rid, topic: topic, batch: held[$0] ?? []) }
        }
        mesh.pass(milliseconds: 100)
        mesh.replica.disconnected(mesh.senders[0], reason: "gone", now: mesh.now)
        mesh.pass(milliseconds: 100)
        func replays(_ relay: FakeRelay) -> [ClosedRange<UInt64>] {
            relay.requests.compactMap { request in
                if case .replay(_, _, _, _, let first, let last) = request { first...last } else { nil }
            }
        }
        #expect(replays(mesh.relays[0]) == [2...65])
        #expect(replays(mesh.relays[1]) == [42...105, 106...151])
        #expect(mesh.replica.counters[.replayedBatches] == 150)
        #expect(mesh.replica.counters[.holesMendedByReplay] == 1)
        #expect(mesh.isEqual(to: 1))
    }

    @Test func `a hole whose origin starts anew is accounted as superseded, and a snapshot only where one came`() throws
    {
        var wire = try wire(3) { request, _ in
            guard case .replay(let rid, _, _, _, _, _) = request else { return nil }
            return [.error(rid: rid, code: .busy, message: "no")]
        }
        wire.stream.remove(at: 1)
        wire.deliverAll()
        try wire.pass(milliseconds: 100)
        wire.origin = try Wire.makeOrigin(after: wire.origin.incarnation &+ (1 << 20))
        try wire.write("User", "new", ["age": 2])
        wire.flush()
        wire.deliverAll()
        let met = try #require(wire.replica.streamStatus(now: wire.now).first)
        #expect(met.holesFound == 2)
        #expect(met.holesMended == [.superseded: 1])
        try wire.pass(milliseconds: 100)
        let after = try #require(wire.replica.streamStatus(now: wire.now).first)
        #expect(after.holesMended == [.superseded: 1, .snapshot: 1])
        #expect(wire.replica.counters[.holesSuperseded] == 1)
        #expect(wire.replica.counters[.holesMendedBySnapshot] == 1)
    }

    @Test func `a job that starts anew while a copy is under way has what it had before from another copy`() throws {
        var mesh = try Mesh(relays: 1, origins: 0)
        let (relay, replica, sender, now) = (mesh.relays[0], mesh.replica, mesh.senders[0], mesh.now)
        relay.isPushed = true
        var batches: [(topic: Topic, payload: [UInt8])] = []
        func write(_ job: inout Origin, _ id: String) throws {
            _ = try job.write(.merge, type: "User", id: id, fields: try EncodedFields(["age": 1]), now: now)
            job.flush()
            for case .publish(let topic, let payload) in job.takeActions() where topic.type != nil {
                batches.append((topic, payload))
            }
        }
        var job = try Wire.makeOrigin(name: "job")
        try write(&job, "1")
        try write(&job, "lost")
        job = try Wire.makeOrigin(after: job.incarnation &+ (1 << 20), name: "job")
        try write(&job, "of the later start")
        let (first, lost, later) = (batches[0], batches[1], batches[2])
        try relay.take(first.topic, first.payload)
        relay.answer = { request in
            guard case .snapshot = request else { return nil }
            relay.answer = nil
            let copy = relay.replies(to: request)
            // The copy is made; before it has come the replica hears of the first batch and the third.
            for batch in [lost, later] { #expect(throws: Never.self) { try relay.take(batch.topic, batch.payload) } }
            for batch in [first, later] {
                replica.receiveStream(sender, topic: batch.topic.bytes.span, payload: batch.payload.span, now: now)
            }
            return copy
        }
        replica.connected(sender, now: now)
        mesh.exchange()
        // Before the next heads, whose digests would show it.
        mesh.pass(milliseconds: 400)
        #expect(mesh.isEqual(to: 0))
        #expect(replica.counters[.holesMendedBySnapshot] == 1)
    }

    @Test func `a report tells which streams are not live, since when and why, and no more than 32`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        wire.answer = { request, _ in
            guard case .replay(let rid, _, _, _, _, _) = request else { return nil }
            return [.error(rid: rid, code: .busy, message: "no")]
        }
        func told(_ types: Range<Int>) throws -> [ReplicaReport.Stream] {
            for type in types {
                for id in 0..<2 {
                    try wire.write("T\(type)", "\(id)", ["age": 1])
                    wire.flush()
                }
                let first = wire.stream.firstIndex { $0.topic.type != nil }
                wire.stream.remove(at: try #require(first))
                wire.deliverAll()
            }
            try wire.pass(milliseconds: 1_200)
            wire.deliverAll()
            return try #require(wire.origin.connectedPeers.first?.report?.streams)
        }
        let one = try told(0..<1)
        #expect(one.map(\.topic) == [.data(type: "T0")])
        #expect(one.map(\.origin) == ["origin"])
        #expect(one.map(\.state) == ["repairing"])
        #expect(one.map(\.reason) == ["batch beyond the next"])
        #expect(one.allSatisfy { $0.milliseconds > 0 })
        let many = try told(1..<50)
        #expect(many.count == ReplicaReport.streamCountMax)
        #expect(many.first?.topic == .data(type: "T0"))
        wire.answer = Wire.replays
        for _ in 0..<30 {
            try wire.pass(milliseconds: 500)
            wire.deliverAll()
        }
        #expect(wire.origin.connectedPeers.first?.report?.streams.isEmpty == true)
    }

    @Test func `two relays are two copies of one stream`() throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        try mesh.connect()
        for id in 0..<20 { try mesh.write(0, "User", "\(id)", ["age": 1], via: id % 2 == 0 ? [0] : [1]) }
        mesh.pass(milliseconds: 1_000)
        #expect(mesh.replica.counters[.holesFound] == 0)
        #expect(mesh.isEqual(to: 0))
    }

    @Test func `whatever is lost, replays bring it`() {
        forEachSeed(300) { _, generator in
            var wire = try self.wire(Int.random(in: 1...150, using: &generator))
            let loss = Int.random(in: 1...90, using: &generator)
            wire.stream.removeAll { _ in Int.random(in: 0..<100, using: &generator) < loss }
            wire.stream.shuffle(using: &generator)
            wire.deliverAll()
            for _ in 0..<4 {
                try wire.pass(milliseconds: 300)
                wire.deliverAll()
            }
            try #require(wire.areEqual)
            try #require(wire.snapshotCount == 1)
            try #require(wire.replica.state(of: wire.sender) == .live)
            let status = wire.replica.streamStatus(now: wire.now)
            // Every hole that was found has its end, and what filled itself was perhaps never found.
            try #require(
                status.allSatisfy { stream in
                    let mended = stream.holesMended.values.reduce(0, +)
                    return (stream.holesFound...stream.holesFound + stream.holesFilled).contains(mended)
                })
        }
    }
}
