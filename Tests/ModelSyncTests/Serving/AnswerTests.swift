import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// How answers are made: paid for first, one message at a time, within what may be under way.
@Suite struct AnswerTests {
    private let now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1_000_000_000)

    private func origin(
        models: Int, configure: (inout OriginConfiguration) -> Void = { _ in }
    ) throws -> Origin {
        var configuration = OriginConfiguration(name: "origin", streamEndpoint: "memory", chunkByteCount: 4_000)
        configure(&configuration)
        var origin = try Origin(configuration: configuration, cache: ModelCache(), now: now)
        let fields = try EncodedFields(["text": .text(String(repeating: "x", count: 1_000))])
        for id in 0..<models { _ = try origin.write(.merge, type: "User", id: "\(id)", fields: fields, now: now) }
        origin.flush()
        _ = origin.takeActions()
        return origin
    }

    private func mute(_ number: Int) -> [UInt8] { [66, UInt8(number >> 8), UInt8(number & 255)] }

    private func ask(_ origin: inout Origin, _ request: ControlRequest, from peer: [UInt8]) {
        origin.receive(request.encode().span, from: peer, now: now)
    }

    private func replies(_ origin: inout Origin) throws -> [ControlReply] {
        try origin.takeActions().compactMap { action in
            guard case .reply(_, let payload) = action else { return nil }
            return try ControlReply(decoding: payload.span)
        }
    }

    @Test func `more than 256 prefixes in one request are refused, however many, and paid for like many snapshots`()
        throws
    {
        var origin = try origin(models: 10) { $0.budget.snapshots = .init(burst: 40, perSecond: 1) }
        for count in [257, 50_000] {
            let prefixes = (0..<count).map { Topic(bytes: Array("m/User/\($0 % 10)".utf8)) }
            for request in [
                ControlRequest.snapshot(rid: 7, prefixes: prefixes, credit: 64),
                .hello(rid: 7, version: 1, name: "h", prefixes: prefixes),
            ] {
                ask(&origin, request, from: [1])
                guard case .error(7, .limit, _)? = try replies(&origin).last else {
                    Issue.record("not refused")
                    return
                }
            }
        }
        let prefixes = (0..<256).map { Topic.data(type: "User", partitions: .twoHundredFiftySix, bucket: $0) }
        for round in 0..<3 as Range<UInt64> {
            ask(&origin, .snapshot(rid: round, prefixes: prefixes, credit: 64), from: [1])
            let last = try replies(&origin).last
            if round < 2 {
                #expect(last?.method == "complete")
            } else if case .error(_, let code, _)? = last {
                #expect(code == .busy)
            } else {
                Issue.record("not refused: \(String(describing: last))")
            }
        }
    }

    @Test func `prefixes select the same whether they are looked at one by one or sorted`() {
        forEachSeed(2_000) { _, generator in
            let letters = Array("m/Us0a".utf8)
            func text(_ lengths: ClosedRange<Int>) -> [UInt8] {
                (0..<Int.random(in: lengths, using: &generator)).map { _ in letters.randomElement(using: &generator)! }
            }
            let prefixes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in text(1...4) }
            let set = PrefixSet(prefixes)
            for _ in 0..<20 {
                let topic = Topic(bytes: text(1...6))
                #expect(set.overlaps(topic) == prefixes.contains { topic.overlaps($0) })
                #expect(set.covers(topic.bytes) == prefixes.contains { topic.bytes.starts(with: $0) })
            }
        }
    }

    @Test func `barriers wait for longer where each answer has many heads`() {
        var waiting = WaitingBarriers()
        var generator = SeededGenerator(seed: 1)
        waiting.append(Topic.barrier(using: &generator))
        #expect(waiting.take(now: 1_000_000).count == 1)
        waiting.noteAnswer(headCount: 9_000)
        waiting.append(Topic.barrier(using: &generator))
        #expect(waiting.take(now: 1_109_999).isEmpty)
        #expect(waiting.dueAt == 1_110_000)
        #expect(waiting.take(now: 1_110_000).count == 1)
    }

    @Test func `barriers without end have one answer in 20 ms, and none is lost`() throws {
        var origin = try origin(models: 10)
        origin.tick(now: now)
        _ = origin.takeActions()
        var generator = SeededGenerator(seed: 1)
        let barriers = (0..<5_000).map { _ in Topic.barrier(using: &generator) }
        for barrier in barriers { origin.subscribed(to: barrier.bytes, now: now) }
        func answers(_ actions: [OriginAction]) -> [Topic: [UInt8]] {
            var answers: [Topic: [UInt8]] = [:]
            for case .publish(let topic, let payload) in actions where barriers.contains(topic) {
                answers[topic] = payload
            }
            return answers
        }
        let first = answers(origin.takeActions())
        #expect(first.count == 1)
        let due = try #require(origin.nextDeadline)
        origin.tick(now: Moment(wallMilliseconds: now.wallMilliseconds + 20, uptimeMicroseconds: due))
        let rest = answers(origin.takeActions())
        #expect(first.count + rest.count == barriers.count)
        // Made once: another would have another stamp.
        #expect(Set(rest.values).count == 1)
    }

    @Test func `a thousand peers that take nothing keep no other from its snapshot, and the bound is kept`() throws {
        let bound = 10_000_000
        var origin = try origin(models: 2_000) { $0.budget.underWayByteCount = bound }
        for peer in 0..<1_000 {
            for rid in 0..<4 as Range<UInt64> {
                ask(&origin, .snapshot(rid: rid, prefixes: [.dataPrefix], credit: 64), from: mute(peer))
            }
        }
        var line = Deliveries(honest: [200])
        try line.deliverAll(of: &origin, now: now)
        #expect(line.heldByteCount > bound / 2)
        #expect(line.heldByteCount <= bound)
        ask(&origin, .snapshot(rid: 1, prefixes: [.dataPrefix], credit: 64), from: [200])
        for _ in 0..<2_000 where line.replies.last?.method != "complete" {
            try line.deliverAll(of: &origin, now: now)
            ask(&origin, .credit(rid: 1, count: 64), from: [200])
        }
        #expect(line.replies.last?.method == "complete")
        let count = line.replies.reduce(0) { sum, reply in
            if case .records(_, _, let records) = reply { sum + records.count } else { sum }
        }
        #expect(count == 2_000)
        #expect(line.heldByteCount <= bound)
        #expect(line.cut.isEmpty)
    }

    @Test func `while more than half is held those are cut that took nothing for three seconds, and no others`() throws
    {
        let bound = 4_000_000
        var origin = try origin(models: 2_000) { $0.budget.underWayByteCount = bound }
        func later(_ milliseconds: UInt64) -> Moment {
            Moment(
                wallMilliseconds: now.wallMilliseconds + milliseconds,
                uptimeMicroseconds: now.uptimeMicroseconds + 1_000 * milliseconds)
        }
        let slow: [UInt8] = [201]
        ask(&origin, .snapshot(rid: 1, prefixes: [.dataPrefix], credit: 64), from: slow)
        var line = Deliveries(honest: [200])
        try line.deliverAll(of: &origin, now: now)
        // One that is slow is left alone while there is room, however long it takes.
        try line.deliverAll(of: &origin, now: later(60_000))
        #expect(line.cut.isEmpty)
        for peer in 0..<1_000 {
            origin.receive(
                ControlRequest.snapshot(rid: 1, prefixes: [.dataPrefix], credit: 64).encode().span,
                from: mute(peer), now: later(60_000))
        }
        line.take(from: slow)
        try line.deliverAll(of: &origin, now: later(60_000))
        try line.deliverAll(of: &origin, now: later(62_900))
        #expect(line.cut.isEmpty)
        line.take(from: slow)
        try line.deliverAll(of: &origin, now: later(62_950))
        try line.deliverAll(of: &origin, now: later(63_100))
        #expect(!line.cut.isEmpty)
        #expect(!line.cut.contains(slow))
        #expect(origin.counters[.cutClients] == UInt64(line.cut.count))
        // Each is told once, and no more than are needed to have half of it free.
        #expect(Set(line.cut).count == line.cut.count)
        for peer in line.cut { line.take(from: peer) }
        #expect(line.heldByteCount <= bound / 2)
        #expect(line.heldByteCount > bound / 2 - 100_000)
        let count = line.cut.count
        try line.deliverAll(of: &origin, now: later(70_000))
        #expect(line.cut.count == count)
    }

    @Test func `a record for which there is no room waits for it, and others are served meanwhile`() throws {
        var origin = try origin(models: 1) { $0.budget.underWayByteCount = 400_000 }
        let large = try EncodedFields(["text": .text(String(repeating: "x", count: 150_000))])
        _ = try origin.write(.merge, type: "Large", id: "1", fields: large, now: now)
        origin.flush()
        _ = origin.takeActions()
        let (small, largePrefix) = (Topic(bytes: Array("m/User/".utf8)), Topic(bytes: Array("m/Large/".utf8)))
        var line = Deliveries(honest: [200])
        for (peer, prefix) in [([1], small), ([2], largePrefix)] as [([UInt8], Topic)] {
            ask(&origin, .snapshot(rid: 1, prefixes: [prefix], credit: 64), from: peer)
            try line.deliverAll(of: &origin, now: now)
        }
        // The first has been sent the small one; a quarter of what is free is too little for the large one.
        #expect((1..<100_000).contains(line.heldByteCount))
        ask(&origin, .snapshot(rid: 1, prefixes: [small], credit: 64), from: [200])
        try line.deliverAll(of: &origin, now: now)
        #expect(line.replies.map(\.method) == ["records", "complete"])
        line.take(from: [1])
        try line.deliverAll(of: &origin, now: now)
        #expect(line.heldByteCount > 150_000)
    }

    @Test func `whoever has nothing under way may always ask, whatever others have asked for`() throws {
        var origin = try origin(models: 10) {
            $0.budget.underWayByteCount = 4_000_000
            $0.budget.cursorCount = 100
            $0.budget.answerCount = 100
        }
        for peer in 0..<200 {
            for rid in 0..<64 as Range<UInt64> {
                ask(&origin, .snapshot(rid: rid, prefixes: [.dataPrefix], credit: 0), from: mute(peer))
                ask(&origin, .hello(rid: rid, version: 1, name: "h", prefixes: []), from: mute(peer))
            }
        }
        #expect(origin.counters[.snapshotsServed] < 100 + 200)
        _ = origin.takeActions()
        ask(&origin, .hello(rid: 1, version: 1, name: "h", prefixes: []), from: [200])
        ask(&origin, .snapshot(rid: 2, prefixes: [.dataPrefix], credit: 64), from: [200])
        var line = Deliveries(honest: [200])
        try line.deliverAll(of: &origin, now: now)
        try line.deliverAll(of: &origin, now: now)
        #expect(Set(line.replies.map(\.method)) == ["welcome", "records", "complete"])
    }

    @Test func `a chunk that is being made while its snapshot is cancelled or begun again is the last of it`() throws {
        var origin = try origin(models: 100) { $0.budget.underWayByteCount = 1 << 20 }
        for change in [
            ControlRequest.cancel(rid: 1),
            .snapshot(rid: 1, prefixes: [Topic(bytes: Array("m/None/".utf8))], credit: 1),
        ] {
            ask(&origin, .snapshot(rid: 1, prefixes: [.dataPrefix], credit: 64), from: [1])
            guard case .turn(var turn) = origin.nextAnswer(after: [], now: now) else {
                Issue.record("no turn")
                return
            }
            ask(&origin, change, from: [1])
            let made = turn.make()
            let payload = try #require(made)
            origin.finish(turn, now: now)
            var line = Deliveries(honest: [1])
            try line.send(payload, to: [1])
            try line.deliverAll(of: &origin, now: now)
            #expect(line.replies.map(\.method) == ["records"] + (change.method == "cancel" ? [] : ["complete"]))
        }
    }

    @Test func `a fetch and fine digests are made beside the writer, and show one moment`() throws {
        var origin = try origin(models: 50) { $0.budget.underWayByteCount = 4 << 20 }
        let before = origin.cache.digests(of: "User", bits: 10)
        ask(&origin, .digest(rid: 1, type: "User", bits: 10), from: [1])
        ask(&origin, .fetch(rid: 2, type: "User", ids: ["1", "2", "none"]), from: [1])
        let fields = try EncodedFields(["text": "new"])
        _ = try origin.write(.merge, type: "User", id: "1", fields: fields, now: now)
        var digests: [UInt64]?
        var texts: [Value?] = []
        var line = Deliveries(honest: [1])
        try line.deliverAll(of: &origin, now: now)
        for reply in line.replies {
            if case .digests(1, _, let told) = reply { digests = told }
            if case .records(2, _, let records) = reply { texts += records.map { $0["text"] } }
        }
        #expect(digests == before)
        #expect(texts.count == 2)
        #expect(!texts.contains("new"))
    }
}

/// Carries messages of answers to peers, of whom one takes each at once, and the others when they are told to.
private struct Deliveries {
    let honest: [UInt8]
    /// What the honest one was sent.
    private(set) var replies: [ControlReply] = []
    /// Those that were to be cut.
    private(set) var cut: [[UInt8]] = []
    private var held: [[UInt8]: [Int]] = [:]
    private var departures: [ReleasedMessage] = []

    init(honest: [UInt8]) { self.honest = honest }

    var heldByteCount: Int {
        held.values.joined().reduce(0) { $0 + $1 + ReleasedMessage.overheadByteCount }
    }

    /// A peer takes everything that was sent to it.
    mutating func take(from peer: [UInt8]) {
        departures += held.removeValue(forKey: peer, default: []).map { ReleasedMessage(peer: peer, byteCount: $0) }
    }

    /// Makes messages until none is to be made.
    mutating func deliverAll(of origin: inout Origin, now: Moment) throws {
        send(&origin)
        while true {
            defer { send(&origin) }
            let next = origin.nextAnswer(after: departures, now: now)
            departures = []
            switch next {
            case .turn(var turn):
                let payload = turn.make()
                origin.finish(turn, now: now)
                if let payload { try send(payload, to: turn.peer) }
            case .cut(let peers): cut += peers
            case .nothing: return
            }
        }
    }

    private mutating func send(_ origin: inout Origin) {
        for case .reply(let peer, let payload) in origin.takeActions() { try? send(payload, to: peer) }
    }

    mutating func send(_ payload: [UInt8], to peer: [UInt8]) throws {
        held[peer, default: []].append(payload.count)
        guard peer == honest else { return }
        replies.append(try ControlReply(decoding: payload.span))
        take(from: peer)
    }
}

extension Dictionary {
    fileprivate mutating func removeValue(forKey key: Key, default value: Value) -> Value {
        removeValue(forKey: key) ?? value
    }
}
