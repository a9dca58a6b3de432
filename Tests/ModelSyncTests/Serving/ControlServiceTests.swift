import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// What a sender grants and refuses. A hostile peer is 66, an honest one 99.
@Suite struct ControlServiceTests {
    private let hostile: [UInt8] = [66]

    private func sender(
        models: Int = 10, configure: (inout OriginConfiguration) -> Void = { _ in }
    ) throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin", configure: configure)
        for id in 0..<models { try network.write(0, "\(id)", ["text": .text(String(repeating: "x", count: 200))]) }
        network.run(milliseconds: 20)
        return network
    }

    private func codes(_ replies: [ControlReply]) -> [String] {
        replies.compactMap { reply in
            if case .error(_, let code, _) = reply { code.rawValue } else { nil }
        }
    }

    private func replay(
        _ network: RelayNetwork, _ first: UInt64, _ last: UInt64, origin: String = "origin", type: String = "User",
        incarnation: UInt64? = nil
    ) -> ControlRequest {
        .replay(
            rid: 7, origin: origin, incarnation: incarnation ?? network.origins[0].incarnation,
            topic: .data(type: type), first: first, last: last)
    }

    /// Another peer gets a whole snapshot.
    private func isServed(
        _ network: inout RelayNetwork, at server: RelayNetwork.Server = .origin(0), models: Int = 10
    ) -> Bool {
        var replies = network.ask(server, .snapshot(rid: 1, prefixes: [Topic.dataPrefix], credit: 64))
        for _ in 0..<100 where replies.last?.method == "records" {
            replies += network.ask(server, .credit(rid: 1, count: 64))
        }
        let count = replies.reduce(0) { sum, reply in
            if case .records(_, _, let records) = reply { sum + records.count } else { sum }
        }
        guard case .complete? = replies.last else { return false }
        return count == models
    }

    @Test func `a replay brings the frames as they stood on the stream`() throws {
        var network = try sender(models: 0)
        var published: [[UInt8]] = []
        for id in 0..<20 {
            try network.write(0, "\(id)", ["a": 1])
            network.origins[0].flush()
            for case .publish(_, let payload) in network.origins[0].takeActions() { published.append(payload) }
        }
        let replies = network.ask(.origin(0), replay(network, 5, 12))
        let frames = replies.compactMap { reply -> [UInt8]? in
            if case .frame(7, Topic.data(type: "User"), let batch) = reply { batch } else { nil }
        }
        #expect(frames == Array(published[4...11]))
        #expect(replies.last == .complete(rid: 7, heads: []))
    }

    @Test func `what is not held any more is gone, and the oldest that is held is named`() throws {
        var network = try sender { $0.replayByteCount = 2_000 }
        for id in 0..<40 {
            try network.write(0, "\(id)", ["a": 1])
            network.origins[0].flush()
        }
        guard case .gone(7, let oldest)? = network.ask(.origin(0), replay(network, 1, 3)).first else {
            Issue.record("not gone")
            return
        }
        #expect(oldest > 3)
        let replies = network.ask(.origin(0), replay(network, oldest, oldest))
        #expect(replies.count == 2)
        network.run(milliseconds: 62_000)
        #expect(network.ask(.origin(0), replay(network, oldest, oldest)) == [.gone(rid: 7, oldest: 0)])
        #expect(network.origins[0].ring.byteCount == 0)
    }

    @Test func `a replay ends early where the rest does not fit into one answer`() throws {
        var network = try sender(models: 0) { $0.budget.answerByteCount = 1_000 }
        for id in 0..<10 {
            try network.write(0, "\(id)", ["text": .text(String(repeating: "x", count: 400))])
            network.origins[0].flush()
        }
        let replies = network.ask(.origin(0), replay(network, 1, 10))
        #expect(replies.map(\.method) == ["frame", "frame", "complete"])
    }

    @Test func `a replay of what cannot be is refused with its reason`() throws {
        var network = try sender(models: 1)
        let cases: [(ControlRequest, String)] = [
            (replay(network, 1, 1, origin: "other"), "unknown-origin"),
            (replay(network, 1, 1, type: "Other"), "unknown-topic"),
            (replay(network, 2, 1), "malformed"),
            (replay(network, 0, 1), "malformed"),
            (replay(network, 1, 2), "malformed"),
            (replay(network, 1, .max), "malformed"),
            (replay(network, 1, 65, incarnation: 1), "limit"),
            (replay(network, 1, .max, incarnation: 1), "limit"),
        ]
        for (request, code) in cases { #expect(codes(network.ask(.origin(0), request)) == [code]) }
        #expect(network.ask(.origin(0), replay(network, 1, 64, incarnation: 1)) == [.gone(rid: 7, oldest: 0)])
        let counters = network.origins[0].counters
        #expect(counters[.requestsUnknownOrigin] == 1)
        #expect(counters[.requestsUnknownTopic] == 1)
        #expect(counters[.requestsMalformed] == 4)
        #expect(counters[.requestsLimit] == 2)
        #expect(counters[.requestsRefused] == 8)
    }

    @Test func `replays of wrong ranges in a loop are counted by reason, and others are served meanwhile`() throws {
        var network = try sender()
        let before = network.origins[0].ring.byteCount
        for round in 0..<5_000 as Range<UInt64> {
            let wrong = replay(network, round % 3 == 0 ? 0 : 1 << 63, round % 2 == 0 ? .max : 1)
            _ = network.ask(.origin(0), wrong, from: hostile)
            if round % 500 == 499 { #expect(isServed(&network)) }
        }
        let counters = network.origins[0].counters
        #expect(counters[.requestsMalformed] == 5_000)
        #expect(counters[.requestsIgnored] == 5_000 - 256)
        #expect(network.origins[0].ring.byteCount == before)
        // The hostile one and the one that was served.
        #expect(network.origins[0].connectedPeers.count == 2)
    }

    @Test func `peers are bounded in number, and those that were silent longest make way`() throws {
        var network = try sender()
        for peer in 0..<5_000 {
            let identity = [66, UInt8(peer >> 8), UInt8(peer & 255)]
            let hello = ControlRequest.hello(rid: 1, version: 1, name: "h", prefixes: [])
            #expect(network.ask(.origin(0), hello, from: identity).first?.method == "welcome")
            guard peer % 1_000 == 999 else { continue }
            network.run(milliseconds: 1)
            #expect(isServed(&network))
        }
        #expect(network.origins[0].connectedPeers.count == 4_096)
        network.run(milliseconds: 5_000)
        #expect(network.origins[0].connectedPeers.isEmpty)
    }

    @Test func `what is remembered of peers is bounded by bytes`() throws {
        var network = try sender { $0.budget.reportByteCount = 10_000 }
        let heads = (0..<30).map { Heads(origin: "o-\($0)", incarnation: 1, stamp: 1, heads: []) }
        let report = ControlRequest.report(rid: 1, report: ReplicaReport(state: "live", applied: heads))
        let count = report.encode().count
        var refused: UInt64 = 0
        for peer in 0..<100 as Range<UInt8> {
            let replies = network.ask(.origin(0), report, from: [66, peer])
            if codes(replies) == ["busy"] { refused += 1 }
        }
        #expect(refused == 100 - 10_000 / UInt64(count))
        #expect(network.origins[0].counters[.requestsBusy] == refused)
        // One report takes the place of the one before.
        for _ in 0..<100 { #expect(network.ask(.origin(0), report, from: [66, 0]).isEmpty) }
        #expect(isServed(&network))
        network.run(milliseconds: 5_000)
        #expect(network.ask(.origin(0), report, from: [66, 99]).isEmpty)
    }

    @Test func `digests that do not fit into a frame beside their heads are refused with the reason`() throws {
        var network = try sender { $0.limits = WireLimits(frameByteCount: 16 << 10) }
        let fine = ControlRequest.digest(rid: 1, type: "User", bits: 15)
        #expect(codes(network.ask(.origin(0), fine)) == ["limit"])
        #expect(network.origins[0].counters[.requestsLimit] == 1)
        let coarse = ControlRequest.digest(rid: 1, type: "User", bits: 8)
        #expect(network.ask(.origin(0), coarse).first?.method == "digests")
    }

    @Test func `an origin makes no more topics than their heads fit into one frame`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin") {
            $0.limits = WireLimits(frameByteCount: 8 << 10)
            $0.partitions = .sixteen
        }
        var count = 0
        while (try? network.write(0, "1", ["a": 1], type: "T\(count)")) != nil, count < 100 { count += 1 }
        #expect((10..<30).contains(count))
        network.origins[0].flush()
        let hello = ControlRequest.hello(rid: 1, version: 1, name: "h", prefixes: [])
        #expect(network.ask(.origin(0), hello).first?.method == "welcome")
        try network.write(0, "2", ["a": 1], type: "T0")
    }

    @Test func `snapshots in a loop are busy after a while and leave the others alone`() throws {
        var network = try sender()
        var (served, busy) = (0, 0)
        for rid in 0..<5_000 as Range<UInt64> {
            let request = ControlRequest.snapshot(rid: rid, prefixes: [Topic.dataPrefix], credit: .max)
            let replies = network.ask(.origin(0), request, from: hostile)
            if codes(replies) == ["busy"] { busy += 1 }
            if case .complete? = replies.last { served += 1 }
            if rid % 500 == 499 { #expect(isServed(&network)) }
        }
        #expect(served == 512)
        #expect(busy == 256)
        #expect(network.origins[0].counters[.requestsBusy] == 5_000 - 512)
        #expect(network.origins[0].counters[.requestsIgnored] == 5_000 - 512 - 256)
        #expect(network.origins[0].connectedPeers.count == 2)
    }

    @Test func `snapshots without credit are bounded per peer and in all, and given up after a time`() throws {
        var network = try sender {
            $0.budget.cursorCount = 100
            $0.peerTimeout = .seconds(600)
        }
        for peer in 0..<3 as Range<UInt8> {
            for rid in 0..<80 as Range<UInt64> {
                _ = network.ask(
                    .origin(0), .snapshot(rid: rid, prefixes: [Topic.dataPrefix], credit: 0), from: [66, peer])
            }
            // One alone may have 64, and leaves room for others; the second takes what is left of the hundred, the
            // third has one. Whoever has none is served.
            #expect(isServed(&network))
        }
        #expect(network.origins[0].counters[.snapshotsServed] == 100 + 1 + 3)
        network.run(milliseconds: 31_000)
        #expect(network.origins[0].counters[.snapshotsAbandoned] == 100 + 1)
        #expect(isServed(&network))
    }

    @Test func `credit without end sends no more than is there, and no more than 64 chunks at once`() throws {
        var network = try sender(models: 400)
        let begin = ControlRequest.snapshot(rid: 1, prefixes: [Topic.dataPrefix], credit: .max)
        var replies = network.ask(.origin(0), begin, from: hostile)
        #expect(replies.count == 64)
        for round in 0..<1_000 {
            let more = network.ask(.origin(0), .credit(rid: 1, count: .max), from: hostile)
            #expect(more.count <= 65)
            replies += more
            // The first time while the snapshot is still under way.
            if round % 250 == 0 { #expect(isServed(&network, models: 400)) }
        }
        #expect(replies.count { $0.method == "complete" } == 1)
        // What is given beyond the end is ignored, and nothing is left under way.
        #expect(network.origins[0].counters[.snapshotsServed] == 1 + 4)
        #expect(network.origins[0].counters[.requestsRefused] == 0)
        #expect(network.origins[0].connectedPeers.count == 2)
    }

    @Test func `fetches are bounded by ids and by bytes`() throws {
        var network = try sender(models: 50) { $0.budget.answerByteCount = 5_000 }
        let many = (0..<1_025).map { "\($0)" }
        #expect(codes(network.ask(.origin(0), .fetch(rid: 1, type: "User", ids: many))) == ["limit"])
        let large = (0..<50).map { "\($0)" }
        #expect(codes(network.ask(.origin(0), .fetch(rid: 1, type: "User", ids: large))) == ["limit"])
        let same = Array(repeating: "1", count: 1_000)
        let replies = network.ask(.origin(0), .fetch(rid: 1, type: "User", ids: same))
        #expect(replies.map(\.method) == ["records", "complete"])
        guard case .records(_, _, let records)? = replies.first else { return }
        #expect(records.count == 1)
    }

    @Test(arguments: [true, false], [1, 1_000])
    func `fetches without end are busy once a peer has used up its budget, also those that find nothing`(
        isThere: Bool, idCount: Int
    ) throws {
        let rate = RequestBudget.Rate(burst: 1 << 20, perSecond: 1 << 20)
        var network = try sender { $0.budget.answerBytes = rate }
        let ids = (0..<idCount).map { isThere ? "\($0 % 10)" : "missing-\($0)" }
        let fetch = ControlRequest.fetch(rid: 1, type: "User", ids: ids)
        var answered = 0
        for _ in 0..<200 {
            let replies = network.ask(.origin(0), fetch, from: hostile)
            if case .complete? = replies.last {
                answered += 1
            } else {
                #expect(codes(replies) == ["busy"])
            }
        }
        // The cost of looking, without that of what is found.
        let cost = (16 << 10) + 64 * idCount
        let most = (1 << 20) / cost
        #expect(answered == most || answered == most - 1)
        #expect(network.origins[0].counters[.requestsBusy] == UInt64(200 - answered))
        let other = network.ask(.origin(0), fetch)
        #expect(other.last?.method == "complete")
        network.run(milliseconds: 1_000)
        let later = network.ask(.origin(0), fetch, from: hostile)
        #expect(later.last?.method == "complete")
    }

    @Test func `fine digests in a loop are busy, coarse ones go on`() throws {
        var network = try sender()
        var answered = 0
        for round in 0..<1_000 {
            let replies = network.ask(.origin(0), .digest(rid: 1, type: "User", bits: 16), from: hostile)
            if case .digests? = replies.first { answered += 1 }
            guard round % 250 == 249 else { continue }
            #expect(isServed(&network))
            let fine = network.ask(.origin(0), .digest(rid: 1, type: "User", bits: 16))
            #expect(fine.first?.method == "digests")
        }
        #expect(answered == 4)
        #expect(
            network.ask(.origin(0), .digest(rid: 1, type: "User", bits: 8), from: hostile).first?.method == "digests")
        network.run(milliseconds: 1_000)
        #expect(
            network.ask(.origin(0), .digest(rid: 1, type: "User", bits: 9), from: hostile).first?.method == "digests")
    }

    @Test func `a report of impossible heads changes nothing`() throws {
        var network = try sender()
        let incarnation = network.origins[0].incarnation
        for (claimed, sequence) in [(incarnation, UInt64(1) << 63), (.max, .max), (1 << 63, 1)] {
            let heads = Heads(
                origin: "origin", incarnation: claimed, stamp: .max,
                heads: [TopicHead(topic: .data(type: "User"), sequence: sequence)])
            let report = ReplicaReport(state: "live", applied: [heads])
            #expect(network.ask(.origin(0), .report(rid: 1, report: report), from: hostile).isEmpty)
        }
        #expect(network.origins[0].incarnation == incarnation)
        #expect(isServed(&network))
        try network.write(0, "new", ["a": 1])
        network.origins[0].flush()
        #expect(
            network.origins[0].cache["User", "new"]?.version(of: "a")?.stamp ?? .max < network.now.wallMilliseconds
                << 16 + 65_536)
    }

    @Test func `random and broken requests are refused or ignored, and others are served meanwhile`() throws {
        var (network, relayed) = (try sender(), RelayNetwork(seed: 2))
        try relayed.addOrigin("origin")
        try relayed.addRelay("relay")
        relayed.connect(.relay(0), to: .origin(0))
        try relayed.write(0, "1", ["a": 1])
        let isSettled = relayed.settle()
        #expect(isSettled)
        var generator = SeededGenerator(seed: 3)
        var stream = ReplayRing.Stream(origin: "origin", incarnation: 1, topic: .data(type: "User"))
        stream = ReplayRing.Stream(
            origin: stream.origin, incarnation: network.origins[0].incarnation, topic: stream.topic)
        let valid: [ControlRequest] = [
            .hello(rid: 1, version: 1, name: "h", prefixes: [.dataPrefix]),
            .snapshot(rid: 2, prefixes: [.dataPrefix], credit: 1), .credit(rid: 2, count: 3),
            .replay(
                rid: 3, origin: stream.origin, incarnation: stream.incarnation, topic: stream.topic, first: 1, last: 2),
            .fetch(rid: 4, type: "User", ids: ["1", "2"]), .digest(rid: 5, type: "User", bits: 8),
            .push(rid: 6, topic: stream.topic, batch: [0x86, 0, 0x61, 0x61, 1, 1, 1, 0x80]), .cancel(rid: 2),
            .report(rid: 7, report: ReplicaReport(state: "live")),
        ]
        let encoded = valid.map { $0.encode() }
        var replyCount = 0
        for round in 0..<100_000 {
            var bytes: [UInt8]
            if Bool.random(using: &generator) {
                bytes = .random(lengths: 0...40, using: &generator)
            } else {
                bytes = encoded.randomElement(using: &generator) ?? []
                bytes.damage(using: &generator)
            }
            replyCount += network.ask(.origin(0), bytes: bytes, from: hostile).count
            replyCount += relayed.ask(.relay(0), bytes: bytes, from: hostile).count
            guard round % 500 == 499 else { continue }
            let (byOrigin, byRelay) = (isServed(&network), isServed(&relayed, at: .relay(0), models: 1))
            #expect(byOrigin && byRelay, "after \(round) requests")
        }
        let counters = network.origins[0].counters
        #expect(counters[.malformedFrames] > 50_000)
        #expect(counters[.requestsIgnored] > 50_000)
        #expect(counters[.requestsMalformed] >= counters[.malformedFrames])
        let reasons: [ModelSync.Counters.Name] = [
            .requestsBusy, .requestsLimit, .requestsMalformed, .requestsDenied, .requestsVersion,
            .requestsUnknownOrigin, .requestsUnknownTopic, .requestsInternal,
        ]
        #expect(reasons.reduce(0) { $0 + counters[$1] } == counters[.requestsRefused])
        #expect(network.origins[0].connectedPeers.count == 2)
        #expect(relayed.relays[0].replica.streamStatus(now: relayed.now).count == 1)
        #expect(relayed.relays[0].counters[.malformedFrames] == counters[.malformedFrames])
        #expect(replyCount < 60_000)
        #expect(relayed.relays[0].cache.count(of: "User") == 1)
        #expect(relayed.relays[0].connectedPeers.count == 2)
        let hello = relayed.ask(.relay(0), .hello(rid: 1, version: 1, name: "honest", prefixes: []))
        #expect(hello.first?.method == "welcome")
    }
}
