@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Senders that are silent, refuse, drip or lie while models are fetched, and those beside them.
struct FetchSenderTests {
    /// Two relays that hold the same, and a copy with room for the pinned `keep`, of which `1` has left.
    private static func mesh() throws -> Mesh {
        var mesh = try Mesh(
            relays: 2, origins: 1, modelLimits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        mesh.replica.cache.setPinned(true, type: "User", id: "keep")
        try mesh.connect()
        try mesh.write(0, "User", "1", ["a": 1])
        try mesh.write(0, "User", "keep", ["a": 1])
        mesh.pass(milliseconds: 100)
        try #require(mesh.replica.cache.presence(of: "User", "1") == .evicted)
        return mesh
    }

    /// How often a relay was asked for the model `1`.
    private static func fetchCount(_ relay: FakeRelay) -> Int {
        relay.requests.count { if case .fetch(_, _, ["1"]) = $0 { true } else { false } }
    }

    /// Begins a fetch of the model `1`, which the first relay leaves without an answer.
    /// - Returns: the number of the request to it.
    private static func beginFetch(_ mesh: inout Mesh) throws -> UInt64 {
        var asked: UInt64?
        answerFetches(of: mesh.relays[0]) { rid, _, _ in
            asked = rid
            return []
        }
        mesh.replica.fetch(["1"], of: "User", token: 1, now: mesh.now)
        mesh.exchange()
        return try #require(asked)
    }

    /// Lets the copy lose a write to the model `keep`, as no correct one loses it.
    private static func loseWrite(_ mesh: inout Mesh) throws {
        let former = try #require(mesh.replica.cache["User", "keep"])
        try mesh.write(0, "User", "keep", ["b": 2])
        mesh.pass(milliseconds: 20_000)
        mesh.replica.cache.commit { $0.overwrite(type: "User", id: "keep", with: former) }
    }

    private static func answerFetches(
        of relay: FakeRelay, _ answer: @escaping (UInt64, String, [String]) -> [ControlReply]
    ) {
        relay.answer = { request in
            if case .fetch(let rid, let type, let ids) = request { answer(rid, type, ids) } else { nil }
        }
    }

    @Test
    func `a sender that does not answer holds a fetch up for seconds, and once it has failed for long not at all`()
        throws
    {
        var mesh = try FetchSenderTests.mesh()
        FetchSenderTests.answerFetches(of: mesh.relays[0]) { _, _, _ in [] }
        for token in UInt64(1)...3 {
            mesh.replica.fetch(["1"], of: "User", token: token, now: mesh.now)
            mesh.pass(milliseconds: 9_100)
            #expect(mesh.fetched[token]?.map(\.values) == [["a": 1]])
            mesh.pass(milliseconds: 100)
            try #require(mesh.replica.cache.presence(of: "User", "1") == .evicted)
        }
        mesh.replica.fetch(["1"], of: "User", token: 4, now: mesh.now)
        mesh.exchange()
        #expect(mesh.fetched[4]?.map(\.values) == [["a": 1]])
    }

    @Test func `while a sender fails, the word of another that it has all makes no half of a model whole`() throws {
        var mesh = try FetchSenderTests.mesh()
        // The one that lies tells the heads of all that the other holds, and sends nothing.
        FetchSenderTests.answerFetches(of: mesh.relays[0]) { [relay = mesh.relays[1]] rid, _, _ in
            [.complete(rid: rid, heads: relay.told())]
        }
        FetchSenderTests.answerFetches(of: mesh.relays[1]) { rid, _, _ in [.error(rid: rid, code: .busy, message: "no")]
        }
        mesh.replica.fetch(["1"], of: "User", token: 1, now: mesh.now)
        mesh.pass(milliseconds: 4_000)
        #expect(mesh.fetched.isEmpty)
        #expect(mesh.replica.cache.presence(of: "User", "1") == .evicted)
        mesh.relays[1].answer = nil
        mesh.pass(milliseconds: 2_500)
        #expect(mesh.fetched[1]?.map(\.values) == [["a": 1]])
    }

    @Test func `a model that came back without the answer of a sender is compared when that answers again`() throws {
        var mesh = try FetchSenderTests.mesh()
        let former = try #require(mesh.relays[0].cache["User", "1"])
        try mesh.write(0, "User", "1", ["b": 2])
        // One says that it has all, and holds what it had before; the other has no time for longer than is waited.
        FetchSenderTests.answerFetches(of: mesh.relays[0]) { [relay = mesh.relays[0]] rid, type, ids in
            [
                .records(rid: rid, type: type, records: ids.contains("1") ? [former] : []),
                .complete(rid: rid, heads: relay.told()),
            ]
        }
        FetchSenderTests.answerFetches(of: mesh.relays[1]) { rid, _, _ in [.error(rid: rid, code: .busy, message: "no")]
        }
        mesh.replica.cache.setPinned(true, type: "User", id: "1")
        mesh.replica.fetch(["1"], of: "User", token: 1, now: mesh.now)
        mesh.pass(milliseconds: 7_000)
        #expect(mesh.fetched[1]?.map(\.values) == [["a": 1]])
        mesh.relays[1].answer = nil
        mesh.pass(milliseconds: 5_000)
        #expect(mesh.replica.cache["User", "1"]?.values == ["a": 1, "b": 2])
    }

    @Test func `a sender that brings its answer in drops is given up, and what the other holds counts`() throws {
        var mesh = try FetchSenderTests.mesh()
        let rid = try FetchSenderTests.beginFetch(&mesh)
        for _ in 0..<80 where mesh.fetched.isEmpty {
            let drop = ControlReply.records(rid: rid, type: "User", records: []).encode()
            mesh.replica.receiveControl(mesh.senders[0], drop.span, now: mesh.now)
            mesh.pass(milliseconds: 100)
        }
        #expect(mesh.fetched[1]?.map(\.values) == [["a": 1]])
    }

    @Test func `a sender that refuses is asked ever more rarely`() throws {
        var mesh = try FetchSenderTests.mesh()
        for relay in mesh.relays {
            FetchSenderTests.answerFetches(of: relay) { rid, _, _ in [.error(rid: rid, code: .busy, message: "no")] }
        }
        mesh.replica.fetch(["1"], of: "User", token: 1, now: mesh.now)
        mesh.pass(milliseconds: 20_000)
        #expect(mesh.fetched.isEmpty)
        #expect((10...20).contains(FetchSenderTests.fetchCount(mesh.relays[0])))
        for relay in mesh.relays { relay.answer = nil }
        mesh.pass(milliseconds: 2_500)
        #expect(mesh.fetched[1]?.map(\.values) == [["a": 1]])
    }

    @Test func `an answer without end is given up, and what it has brought is let go`() throws {
        var mesh = try FetchSenderTests.mesh()
        let rid = try FetchSenderTests.beginFetch(&mesh)
        let text = Value.text(String(repeating: "x", count: 250_000))
        let big = try EncodedFields(["b": text, "c": text, "d": text, "e": text])
        _ = try mesh.origins[0].write(.merge, type: "User", id: "1", fields: big, now: mesh.now)
        let record = try #require(mesh.origins[0].cache["User", "1"])
        let part = ControlReply.records(rid: rid, type: "User", records: [record]).encode()
        var count = 0
        while !mesh.notices.contains(where: { $0.kind == .fetchOverrun }), count < 200 {
            mesh.replica.receiveControl(mesh.senders[0], part.span, now: mesh.now)
            mesh.exchange()
            count += 1
        }
        #expect((130...140).contains(count))
        mesh.pass(milliseconds: 6_000)
        #expect(mesh.fetched[1]?.map(\.values) == [["a": 1]])
        #expect(mesh.relays[0].requests.contains { if case .cancel(rid) = $0 { true } else { false } })
    }

    @Test func `held models are compared with what one sender holds while the other is silent`() throws {
        var mesh = try FetchSenderTests.mesh()
        FetchSenderTests.answerFetches(of: mesh.relays[0]) { _, _, _ in [] }
        try FetchSenderTests.loseWrite(&mesh)
        mesh.pass(milliseconds: 5_000)
        #expect(mesh.replica.cache["User", "keep"]?.values == ["a": 1, "b": 2])
    }

    /// Has the first relay answer fetches with heads of an origin that there is not.
    private static func runAhead(_ mesh: Mesh) {
        let invented = Heads(
            origin: "nobody", incarnation: 1, stamp: 1, heads: [TopicHead(topic: .data(type: "User"), sequence: 9)],
            isRelayed: true, hasTransactions: true)
        answerFetches(of: mesh.relays[0]) { [relay = mesh.relays[0]] rid, _, _ in
            [.complete(rid: rid, heads: relay.told() + [invented])]
        }
    }

    @Test func `held models are compared with what one sender holds while another tells of what nobody has`() throws {
        var mesh = try FetchSenderTests.mesh()
        FetchSenderTests.runAhead(mesh)
        try FetchSenderTests.loseWrite(&mesh)
        mesh.pass(milliseconds: 20_000)
        #expect(mesh.replica.cache["User", "keep"]?.values == ["a": 1, "b": 2])
        #expect(mesh.replica.counters[.digestMismatches] == 0)
    }

    @Test
    func `held models of a lazy copy are compared though a sender makes up something else before each comparison ends`()
        throws
    {
        var limits = CacheLimits()
        limits.prefetch = .none
        var mesh = try Mesh(relays: 2, origins: 1, modelLimits: limits)
        try mesh.connect()
        try mesh.write(0, "User", "keep", ["a": 1])
        mesh.replica.fetch(["keep"], of: "User", token: 1, now: mesh.now)
        mesh.pass(milliseconds: 1_000)
        let former = try #require(mesh.replica.cache["User", "keep"])
        try mesh.write(0, "User", "keep", ["b": 2])
        var lies = 0
        func invented() -> [Heads] {
            lies += 1
            return FetchSenderTests.invented(round: lies)
        }
        mesh.relays[0].answer = { [relay = mesh.relays[0]] request in
            switch request {
            case .fetch(let rid, _, _), .snapshot(let rid, _, _), .heads(let rid, _, _):
                [.complete(rid: rid, heads: relay.told() + invented())]
            default: nil
            }
        }
        for round in 1...120 {
            for heads in invented() {
                mesh.replica.receiveStream(
                    mesh.senders[0], topic: Topic.heads(origin: heads.origin).bytes.span,
                    payload: heads.encode().span, now: mesh.now)
            }
            mesh.pass(milliseconds: 1_000)
            // A loss as no correct copy has it.
            if round == 20 { mesh.replica.cache.commit { $0.overwrite(type: "User", id: "keep", with: former) } }
        }
        let askedForHeads = mesh.relays[0].requests.count { if case .heads = $0 { true } else { false } }
        // Each time its heads alone are taken, and all that is held is to be compared.
        try #require(askedForHeads > 50)
        #expect(mesh.replica.cache["User", "keep"]?.values == ["a": 1, "b": 2])
    }

    /// Heads of origins that do not exist, others in each round.
    private static func invented(round: Int) -> [Heads] {
        (0..<20).map { number in
            let head = TopicHead(topic: .data(type: "User"), sequence: UInt64(round * 7 + number))
            return Heads(origin: "o\(number)", incarnation: 1, stamp: 1, heads: [head], isRelayed: true)
        }
    }

    @Test func `a sender that tells of what nobody has is waited for once, where there are transactions`() throws {
        var mesh = try FetchSenderTests.mesh()
        FetchSenderTests.runAhead(mesh)
        mesh.replica.fetch(["1"], of: "User", token: 1, now: mesh.now)
        mesh.pass(milliseconds: 14_000)
        #expect(mesh.fetched.isEmpty)
        mesh.pass(milliseconds: 2_000)
        #expect(mesh.fetched[1]?.map(\.values) == [["a": 1]])
        try #require(mesh.replica.cache.presence(of: "User", "1") == .evicted)
        mesh.replica.fetch(["1"], of: "User", token: 2, now: mesh.now)
        mesh.exchange()
        #expect(mesh.fetched[2]?.map(\.values) == [["a": 1]])
    }

    /// - Parameter renames: the origins that are made up have other names each time.
    @Test(arguments: [false, true])
    func `a sender that makes up origins and tells other heads of them each time is waited for ever more rarely`(
        renames: Bool
    ) throws {
        var mesh = try FetchSenderTests.mesh()
        var generator = SeededGenerator(seed: 1)
        var invented: [Heads] = []
        var round = 0
        func invent() {
            round += 1
            invented = (0..<20).map { number in
                let sequence = UInt64.random(in: 1...1_000, using: &generator)
                let head = TopicHead(topic: .data(type: "User"), sequence: sequence)
                return Heads(
                    origin: "o\(number)" + (renames ? "-\(round)" : ""), incarnation: 1, stamp: 1, heads: [head],
                    isRelayed: true)
            }
        }
        mesh.relays[0].answer = { [relay = mesh.relays[0]] request in
            switch request {
            case .fetch(let rid, _, _), .snapshot(let rid, _, _), .heads(let rid, _, _):
                [.complete(rid: rid, heads: relay.told() + invented)]
            default: nil
            }
        }
        var slowAt: [Int] = []
        var token: UInt64 = 0
        var second = 0
        while second < 120 {
            token += 1
            mesh.replica.fetch(["1"], of: "User", token: token, now: mesh.now)
            mesh.exchange()
            let begin = second
            while mesh.fetched[token] == nil || second == begin, second < 300 {
                invent()
                for heads in invented {
                    let topic = Topic.heads(origin: heads.origin)
                    mesh.replica.receiveStream(
                        mesh.senders[0], topic: topic.bytes.span, payload: heads.encode().span, now: mesh.now)
                }
                mesh.pass(milliseconds: 1_000)
                second += 1
            }
            #expect(mesh.fetched[token]?.map(\.values) == [["a": 1]])
            if second - begin > 2 { slowAt.append(begin) }
        }
        #expect(slowAt.count <= 5, "\(slowAt)")
    }

    @Test func `all held models are compared in turn, also those of one bucket`() throws {
        var mesh = try Mesh(
            relays: 1, origins: 1, modelLimits: CacheLimits(types: ["User": ModelLimits(count: 700)]))
        try mesh.connect()
        let ids = (0...).lazy.map { "u\($0)" }
            .filter { Fingerprint.bucket(idHash: Fingerprint.fnv($0)) == 7 }.prefix(800)
        for id in ids { try mesh.write(0, "User", id, ["a": 1]) }
        mesh.pass(milliseconds: 5_000)
        var compared: Set<String> = []
        for case .fetch(_, _, let ids) in mesh.relays[0].requests { compared.formUnion(ids) }
        #expect(compared.count >= 700)
    }

    @Test func `a comparison is no use of a model, so that idle models leave all the same`() throws {
        var mesh = try Mesh(
            relays: 1, origins: 1,
            modelLimits: CacheLimits(types: ["User": ModelLimits(count: 3, idle: .seconds(20))]))
        try mesh.connect()
        for id in 0..<4 { try mesh.write(0, "User", "\(id)", ["a": 1]) }
        mesh.pass(milliseconds: 32_000)
        #expect(mesh.relays[0].requests.contains { if case .fetch = $0 { true } else { false } })
        #expect(mesh.replica.cache.count(of: "User") == 0)
    }
}
