import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// What one sender makes a replica do is bounded for it, and others do not wait for it.
@Suite struct SenderBudgetTests {
    /// A publisher, somebody who tells what is not so, and a replica that listens to both. Time passes in ticks.
    private struct Field {
        var origin: Origin
        let replica: Replica
        let honest: SenderID
        let liar: SenderID
        var time: UInt64 = 0
        /// How far the clock of the liar's start has been put ahead.
        var start: UInt64 = 1
        /// The liar answers the digests of each type with these; else not at all.
        var lie: [UInt64]?
        var asked: [ControlRequest] = []
        var reportCount = 0
        var notices: [Notice] = []
        private var sent: [[UInt8]] = []

        init() throws {
            origin = try Wire.makeOrigin()
            replica = Replica(
                configuration: ReplicaConfiguration(name: "replica", repairJitterMax: .zero), cache: ModelCache(),
                now: .start, seed: 1)
            honest = replica.addSender()
            liar = replica.addSender()
            for sender in [honest, liar] {
                replica.connected(sender, now: now)
                try exchange()
                try #require(replica.state(of: sender) == .live)
            }
        }

        var now: Moment {
            Moment(wallMilliseconds: 1_800_000_000_000 + time / 1000, uptimeMicroseconds: 1_000_000 + time)
        }

        private func name(_ sender: SenderID) -> String { sender == liar ? "liar" : "origin" }

        func own(_ sender: SenderID, _ heads: [TopicHead] = []) -> Heads {
            let incarnation = sender == liar ? start : origin.incarnation
            return Heads(
                origin: name(sender), incarnation: incarnation, stamp: now.wallMilliseconds << 16, heads: heads)
        }

        mutating func tell(_ sender: SenderID, _ heads: [TopicHead] = []) {
            let topic = Topic.heads(origin: name(sender)).bytes
            replica.receiveStream(sender, topic: topic.span, payload: own(sender, heads).encode().span, now: now)
        }

        /// A sender tells of an origin behind it.
        func tellOther(_ sender: SenderID, start: UInt64, _ heads: [TopicHead] = []) {
            let told = Heads(
                origin: "other", incarnation: start, stamp: now.wallMilliseconds << 16, heads: heads, isRelayed: true)
            replica.receiveStream(
                sender, topic: Topic.heads(origin: "other").bytes.span, payload: told.encode().span, now: now)
        }

        mutating func exchange() throws {
            notices += try replica.exchange(now: now, own: { own($0) }, answers: { answers($0, $1) })
        }

        private mutating func answers(_ sender: SenderID, _ request: ControlRequest) -> [ControlReply] {
            if sender == liar { asked.append(request) }
            switch request {
            case .hello(let rid, _, _, _):
                return [
                    .welcome(
                        rid: rid, version: 1, name: name(sender), streamEndpoint: "memory", heartbeatMilliseconds: 500,
                        frameLimit: 1 << 20, heads: [])
                ]
            case .snapshot(let rid, _, _): return [.complete(rid: rid, heads: [own(sender)])]
            case .replay(let rid, _, _, let topic, let first, let last):
                guard sender == honest else { return [.gone(rid: rid, oldest: 0)] }
                return (first...last).map { .frame(rid: rid, topic: topic, batch: sent[Int($0 - 1)]) }
                    + [.complete(rid: rid, heads: [])]
            case .digest(let rid, _, _):
                return lie.map { [.digests(rid: rid, heads: [own(sender)], digests: $0)] } ?? []
            case .report:
                if sender == honest { reportCount += 1 }
                return []
            default: return []
            }
        }

        mutating func tick() throws {
            time += 5_000
            if time % 500_000 == 0 {
                tell(honest, sent.isEmpty ? [] : [TopicHead(topic: .data(type: "User"), sequence: UInt64(sent.count))])
                tell(liar)
            }
            replica.tick(now: now)
            try exchange()
            // It looks at everything that is held.
            if time % 500_000 == 0, let fault = replica.brokenInvariant() { throw CaseError(fault) }
        }

        mutating func pass(milliseconds: UInt64) throws {
            for _ in 0..<(milliseconds / 5) { try tick() }
        }

        /// The publisher writes, and its batch comes unless it is lost.
        mutating func write(_ id: String, isLost: Bool = false) throws {
            _ = try origin.write(.merge, type: "User", id: id, fields: EncodedFields(["a": 1]), now: now)
            origin.flush()
            for case .publish(let topic, let payload) in origin.takeActions() where topic.type != nil {
                sent.append(payload)
                if isLost { continue }
                replica.receiveStream(honest, topic: topic.bytes.span, payload: payload.span, now: now)
            }
        }

        func holds(_ id: String) -> Bool { replica.cache["User", id] != nil }
        var streamCount: Int { replica.streams.count }
        var requestCount: Int {
            asked.count { request in
                switch request {
                case .snapshot, .replay: true
                default: false
                }
            }
        }
    }

    private func heads(_ numbers: Range<Int>, _ sequence: UInt64 = 3, digest: UInt64? = nil) -> [TopicHead] {
        numbers.map { TopicHead(topic: .data(type: "T\($0)"), sequence: sequence, digest: digest) }
    }

    @Test func `what nobody had leaves requests to what was not asked for yet, which then has its turn`() {
        var budget = SenderBudget()
        func takes(isInVain: Bool, at second: UInt64) -> Bool {
            budget.takeRequest(.snapshot, isInVain: isInVain, at: second * 1_000_000)
        }
        // Each request costs the most.
        for _ in 0..<192 { budget.noteFruitless() }
        while takes(isInVain: true, at: 1) {}
        #expect(!takes(isInVain: false, at: 1))
        budget.keep(until: 30_000_000)
        #expect(!takes(isInVain: true, at: 20))
        #expect(takes(isInVain: false, at: 20))
        budget.keepNoLonger()
        #expect(takes(isInVain: true, at: 29))
        // It may have been mended otherwise.
        budget.keep(until: 50_000_000)
        #expect(takes(isInVain: true, at: 50))
    }

    @Test func `a frame that names 20,000 streams begins few repairs a tick and few requests a second`() throws {
        var field = try Field()
        field.asked = []
        field.tell(field.liar, heads(0..<20_000))
        #expect(field.streamCount == 16_384)
        #expect(field.replica.counters[.postponedStreams] == 20_000 - 16_384)
        var foundMost: UInt64 = 0
        for _ in 0..<400 {
            let found = field.replica.counters[.holesFound]
            try field.tick()
            foundMost = max(foundMost, field.replica.counters[.holesFound] - found)
        }
        #expect((1...256).contains(foundMost))
        #expect(field.replica.counters[.holesFound] == 16_384)
        // In two seconds, all of it in vain, so the price has doubled again and again.
        #expect((200...(512 + 4_096)).contains(field.requestCount), "\(field.requestCount)")
        #expect(field.replica.counters[.postponedRequests] > 0)
        // From then on: 64 and 1,024 a second, each at 64 times the price.
        let before = field.requestCount
        try field.pass(milliseconds: 10_000)
        #expect((10...200).contains(field.requestCount - before), "\(field.requestCount - before)")
    }

    @Test func `while one sender's streams wait another's batch shows at once and its hole is mended`() throws {
        var field = try Field()
        try field.write("0")
        field.tell(field.liar, heads(0..<20_000))
        for round in 1...40 {
            try field.write("\(round)")
            #expect(field.holds("\(round)"))
            try field.pass(milliseconds: 50)
            field.tell(field.liar, heads(0..<20_000))
        }
        #expect(field.replica.state(of: field.honest) == .live)
        #expect(field.replica.state(of: field.liar) == .repairing)
        try field.write("lost", isLost: true)
        try field.write("next")
        #expect(field.holds("next") && !field.holds("lost"))
        #expect(field.replica.state(of: field.honest) == .repairing)
        // The grace, and the ticks that it needs.
        try field.pass(milliseconds: 60)
        #expect(field.holds("lost"))
        try field.pass(milliseconds: 500)
        #expect(field.replica.state(of: field.honest) == .live)
        // One a second, and not one for each change of what the liar's streams are.
        #expect(field.reportCount <= 32 + 8 * 4)
    }

    @Test func `what another relay has is asked for there while a liar that promises more may not be asked`() throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        let liar = mesh.relays[1]
        liar.answer = { request in
            switch request {
            case .snapshot(let rid, _, _): [.complete(rid: rid, heads: [])]
            case .replay(let rid, _, _, _, _, _): [.gone(rid: rid, oldest: 0)]
            default: nil
            }
        }
        try mesh.write(0, "User", "0", ["a": 1], to: [0], via: [0])
        try mesh.connect()
        func stream(_ type: String) -> FakeRelay.Stream {
            FakeRelay.Stream(
                origin: "origin-0", incarnation: mesh.origins[0].incarnation, topic: .data(type: type))
        }
        for number in 0..<2_000 { liar.heads[stream("T\(number)")] = 3 }
        liar.heads[stream("User")] = 1 << 63
        mesh.pass(milliseconds: 5_000)
        #expect(mesh.replica.counters[.postponedRequests] > 0)
        try mesh.write(0, "User", "lost", ["a": 1], to: [0], via: [])
        try mesh.write(0, "User", "next", ["a": 1], to: [0], via: [0])
        #expect(mesh.replica.cache["User", "lost"] == nil)
        mesh.pass(milliseconds: 2_000)
        #expect(mesh.replica.cache["User", "lost"] != nil)
    }

    @Test func `new streams in each frame are begun at a rate, up to the sender's part of the table`() throws {
        var field = try Field()
        field.replica.origins.limits.bounds.streamCount = 200_000
        field.replica.origins.limits.types.countMax = 200_000
        for frame in 0..<6 {
            field.tell(field.liar, heads((frame * 20_000)..<((frame + 1) * 20_000), 0))
            #expect(field.streamCount <= 16_384 + frame * 2_048)
            for _ in 0..<100 {
                field.time += 5_000
                field.replica.tick(now: field.now)
            }
        }
        for frame in 6..<10 {
            field.time += 4_000_000
            field.tell(field.liar, heads((frame * 20_000)..<((frame + 1) * 20_000), 0))
        }
        #expect(field.streamCount == 25_000)
        // Another sender's find room.
        try field.write("1")
        #expect(field.holds("1") && field.streamCount == 25_001)
        #expect(field.replica.brokenInvariant() == nil)
    }

    @Test func `a later start in each frame begins streams anew no faster than others`() throws {
        var field = try Field()
        field.tell(field.liar, heads(0..<6_000, 0))
        for _ in 0..<100 {
            field.start += 1
            field.tell(field.liar)
            field.time += 5_000
        }
        // With the first time 16,384 at once, and 2,048 in half a second: six parts of 2,048 find place in that.
        #expect(field.replica.counters[.newIncarnations] == 12_288)
        field.time += 4_000_000
        field.start += 1
        field.tell(field.liar)
        for _ in 0..<3 { field.replica.tick(now: field.now) }
        #expect(field.replica.counters[.newIncarnations] == 18_288)
    }

    @Test func `a later start of 16,384 topics is followed a part a tick, and logged once`() throws {
        var field = try Field()
        field.tell(field.liar, heads(0..<16_000, 0))
        field.time += 4_000_000
        field.start += 1
        field.tell(field.liar, heads(0..<16_000, 1))
        // Another sender's update comes between two parts.
        for part in UInt64(1)...7 {
            #expect(field.replica.counters[.newIncarnations] == part * 2048)
            try field.exchange()
            try field.write("\(part)")
            #expect(field.holds("\(part)"))
            field.replica.tick(now: field.now)
        }
        #expect(field.replica.counters[.newIncarnations] == 16_000)
        #expect(field.notices.count { $0.kind == .newIncarnation } == 1)
        #expect(field.replica.brokenInvariant() == nil)
    }

    @Test func `a later start goes on with whoever tells it next, where the first has begun too much`() throws {
        var field = try Field()
        field.tellOther(field.honest, start: 1, heads(0..<6_000, 0))
        field.time += 4_000_000
        // The liar spends most of what it has on topics of its own, then tells the true start first.
        field.tell(field.liar, heads(6_000..<20_000, 0))
        field.tellOther(field.liar, start: 2)
        for _ in 0..<10 { field.replica.tick(now: field.now) }
        #expect(field.replica.counters[.newIncarnations] == 2048)
        field.tellOther(field.honest, start: 2)
        for _ in 0..<10 { field.replica.tick(now: field.now) }
        #expect(field.replica.counters[.newIncarnations] == 6_000)
    }

    @Test(arguments: [false, true])
    func `digests that differ in 5,000 types are looked into 16 at a time`(isAnswered: Bool) throws {
        var field = try Field()
        if isAnswered { field.lie = Array(repeating: 7, count: 256) }
        field.asked = []
        field.tell(field.liar, heads(0..<5_000, 0, digest: 1))
        var most = 0
        for _ in 0..<600 {
            let before = field.asked.count { if case .digest = $0 { true } else { false } }
            try field.tick()
            most = max(most, field.asked.count { if case .digest = $0 { true } else { false } } - before)
            #expect(field.replica.audits.types.count <= 16)
        }
        #expect((1...32).contains(most), "\(most) in a tick")
        // In three seconds: no more than a sender grants.
        #expect(field.requestCount <= 512 + 3 * 64)
        try field.write("1")
        #expect(field.holds("1"))
    }

    @Test func `a sender of 16,384 topics is live at once and compared within a second`() throws {
        // An id for each bucket.
        let named = (0..<4_000).map { (Fingerprint.bucket(idHash: Fingerprint.fnv("\($0)")), "\($0)") }
        let ids = Dictionary(named) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value)
        try #require(ids.count == 256)
        var wire = try Wire(partitions: .twoHundredFiftySix, repairJitterMax: .milliseconds(500))
        // Beside another, so that it has its part only.
        _ = wire.replica.addSender()
        for type in 0..<64 {
            for id in ids { try wire.write("T\(type)", id, ["a": 1]) }
        }
        wire.flush()
        for connection in 0..<2 {
            try wire.becomeLive()
            #expect(wire.replica.streams.count == 16_384 && wire.areEqual)
            // The next heads tell digests, which are all compared.
            try wire.pass(milliseconds: 500)
            wire.deliverAll()
            for _ in 0..<100 {
                wire.time += 5_000
                wire.replica.tick(now: wire.now)
            }
            #expect(!wire.replica.audits.isRound(with: wire.sender))
            #expect(wire.replica.counters[.postponedStreams] == 0)
            #expect(wire.replica.counters[.postponedRequests] == 0)
            #expect(wire.replica.counters[.holesFound] == 0)
            #expect(wire.replica.brokenInvariant() == nil)
            wire.replica.disconnected(wire.sender, reason: "reset \(connection)", now: wire.now)
        }
    }
}
