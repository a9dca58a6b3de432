import ModelRecord
import ModelSync
import ModelWire
import Testing

/// Starts and stamps that lie too far ahead of the wall clock.
@Suite struct FutureTests {
    private func followed() throws -> (Wire, StreamStatus) {
        var wire = try Wire()
        try wire.becomeLive()
        try wire.write("User", "1", ["age": 1])
        wire.flush()
        wire.deliverAll()
        return (wire, try #require(wire.replica.streamStatus(now: wire.now).first))
    }

    /// Two heartbeats' worth of the true origin, and time for what was told to be forgotten.
    private func goOn(_ wire: inout Wire) throws {
        for _ in 0..<14 {
            try wire.pass(milliseconds: 500)
            wire.deliverAll()
        }
    }

    @Test func `heads of a start from the future are not followed, and the true one is`() throws {
        var (wire, before) = try followed()
        let lie = Heads(
            origin: "origin", incarnation: .max, stamp: .max, heads: [TopicHead(topic: before.topic, sequence: 9)])
        for _ in 0..<1_000 {
            wire.replica.receiveStream(
                wire.sender, topic: Array("h/origin".utf8).span, payload: lie.encode().span, now: wire.now)
        }
        let told = try #require(wire.replica.streamStatus(now: wire.now).first)
        #expect(told.incarnation == before.incarnation && told.head == before.head)
        #expect(told.state == .repairing && told.reason == "batch from the future")
        #expect(wire.replica.state(of: wire.sender) == .repairing)
        #expect(wire.replica.counters[.clockRejectedHeads] == 1_000)
        try wire.exchange()
        #expect(wire.notices.count { $0.kind == .clockRejected } == 1)
        try wire.write("User", "1", ["age": 2])
        try goOn(&wire)
        #expect(wire.areEqual)
        #expect(wire.replica.state(of: wire.sender) == .live)
        #expect(wire.replica.counters[.newIncarnations] == 0)
    }

    @Test func `a batch of a start from the future changes nothing, whatever its stamp`() throws {
        var (wire, before) = try followed()
        var writer = BatchWriter()
        try writer.append(.merge, stamp: before.incarnation, id: "1", fields: ["age": 9])
        let lie = writer.finish(origin: "origin", incarnation: .max, sequence: 1)
        wire.replica.receiveStream(wire.sender, topic: before.topic.bytes.span, payload: lie.span, now: wire.now)
        #expect(wire.replica.counters[.clockRejectedBatches] == 1)
        #expect(wire.replica.streamStatus(now: wire.now).first?.incarnation == before.incarnation)
        #expect(wire.areEqual)
        try wire.write("User", "1", ["age": 2])
        try goOn(&wire)
        #expect(wire.areEqual)
        #expect(wire.replica.state(of: wire.sender) == .live)
    }

    @Test func `after a start from the future the topics of the next are taken whole`() throws {
        var wire = try Wire()
        try wire.becomeLive()
        let topic = Topic.data(type: "User")
        let ahead = (wire.now.wallMilliseconds + 600_000) << 16
        func tell(_ incarnation: UInt64) {
            let heads = Heads(
                origin: "origin", incarnation: incarnation, stamp: incarnation,
                heads: [TopicHead(topic: topic, sequence: 1)])
            wire.replica.receiveStream(
                wire.sender, topic: Array("h/origin".utf8).span, payload: heads.encode().span, now: wire.now)
        }
        // What it writes is in no batch of the next start, and nothing else of this one is ever taken.
        tell(ahead)
        #expect(wire.replica.counters[.clockRejectedHeads] == 1)
        wire.requests = []
        tell(wire.origin.incarnation + (1 << 16))
        try wire.pass(milliseconds: 600)
        let first = wire.requests.first { request in
            switch request {
            case .snapshot, .replay: true
            default: false
            }
        }
        guard case .snapshot(_, let prefixes, _)? = first else {
            Issue.record("\(String(describing: first)) comes first")
            return
        }
        #expect(prefixes == [topic])
    }

    @Test func `a report tells the greatest stamp of an origin, also of batches that no heads have followed`() throws {
        var (wire, before) = try followed()
        let batch = try #require(wire.sent[before.topic]?.last)
        var decoder = BatchDecoder()
        try decoder.decode(batch.span)
        wire.requests = []
        // Heads go out, and do not arrive.
        try wire.pass(milliseconds: 1_100)
        let reports = wire.requests.compactMap { if case .report(_, let report) = $0 { report } else { nil } }
        #expect(reports.last?.applied.map(\.stamp) == [decoder.lastStamp])
    }

    @Test func `a log is not filled with what many origins send from the future`() throws {
        var (wire, before) = try followed()
        for number in 0..<500 {
            let lie = Heads(
                origin: "origin-\(number)", incarnation: .max, stamp: 1,
                heads: [TopicHead(topic: before.topic, sequence: 9)])
            wire.replica.receiveStream(
                wire.sender, topic: Array("h/origin-\(number)".utf8).span, payload: lie.encode().span, now: wire.now)
        }
        try wire.exchange()
        #expect(wire.notices.count { $0.kind == .clockRejected } == 16)
        #expect(wire.replica.streamStatus(now: wire.now).count == 1)
    }

    @Test func `a stamp from the future does not hide from a relay's subscribers that the origin lives`() throws {
        var network = try RelayNetwork.chain()
        try network.write(0, "1", ["a": 1])
        let isCalm = network.settle()
        #expect(isCalm)
        let lie = Heads(origin: "origin", incarnation: network.origins[0].incarnation, stamp: .max, heads: [])
        network.relays[0].receiveStream(
            network.links[0].sender, topic: Array("h/origin".utf8).span, payload: lie.encode().span, now: network.now)
        network.run(milliseconds: 10_000)
        let status = try #require(network.replicas[0].streamStatus(now: network.now).first)
        #expect(status.state == .live)
    }
}
