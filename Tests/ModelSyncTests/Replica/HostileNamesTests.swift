import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// Peers and senders that make up names without end: memory and frames stay bounded, and others are served.
@Suite struct HostileNamesTests {
    private let incarnation: UInt64 = 1_800_000_000_000 << 16

    private func batch(_ origin: String) throws -> [UInt8] {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: incarnation + 1, id: "1", fields: ["a": 1])
        return writer.finish(origin: origin, incarnation: incarnation, sequence: 1)
    }

    private func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "x", count: 64 - digits.count) + digits
    }

    /// Somebody who has done no harm is greeted and served, in frames that he takes.
    private func isServed(_ network: inout RelayNetwork, models: Int) -> Bool {
        let hello = ControlRequest.hello(rid: 1, version: 1, name: "honest", prefixes: [])
        guard network.ask(.relay(0), hello).first?.method == "welcome" else { return false }
        let replies = network.ask(.relay(0), .snapshot(rid: 2, prefixes: [.dataPrefix], credit: 64))
        guard let last = replies.last, case .complete(_, let heads) = last else { return false }
        guard heads.contains(where: { $0.origin == "origin" }) else { return false }
        let digest = network.ask(.relay(0), .digest(rid: 3, type: "User", bits: 16), from: [98])
        guard digest.first?.method == "digests" else { return false }
        var count = 0
        for reply in replies {
            if case .records(_, _, let records) = reply { count += records.count }
        }
        return count >= models
    }

    @Test func `pushes under 100,000 names are taken, what is told fits into a frame, and others join meanwhile`()
        throws
    {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addRelay("relay")
        network.connect(.relay(0), to: .origin(0))
        for id in 0..<10 { try network.write(0, "\(id)", ["a": 1], type: "User") }
        let isSettled = network.settle()
        #expect(isSettled)
        let topic = Topic.data(type: "User")
        let relay = network.relays[0]
        var accepted = 0
        for number in 0..<100_000 {
            // From more connections than a budget for each can keep apart.
            let peer = [66, UInt8(truncatingIfNeeded: number / 200), UInt8(truncatingIfNeeded: number / 51_200)]
            let push = ControlRequest.push(rid: 1, topic: topic, batch: try batch(name(number)))
            if network.ask(.relay(0), push, from: peer).first == .accepted(rid: 1) { accepted += 1 }
            network.time += 1_000
            if number % 1_000 == 999 { relay.tick(now: network.now) }
            _ = relay.takeActions()
            if number % 33_333 == 33_332 { #expect(isServed(&network, models: 10)) }
        }
        #expect(accepted == 100_000)
        // Those of the last fifteen seconds, and 8,192.
        #expect(relay.replica.streamStatus(now: network.now).count < 15_000 + 8_192 + 1_100)
        #expect(relay.replica.counters[.forgottenNames] > 70_000)
        #expect(relay.cache.count(of: "User") == 10)
        #expect(relay.connectedPeers.count <= 40)
        // No frame of it is past the limit: not what a barrier is answered with, nor a heartbeat.
        relay.subscribed(to: [0xFF] + [UInt8](repeating: 7, count: 16), now: network.now)
        network.time += 600_000
        relay.tick(now: network.now)
        let sizes = relay.takeActions().compactMap { action -> Int? in
            if case .publish(_, let payload) = action { payload.count } else { nil }
        }
        // 37 bytes and the name, 22 and the topic, in three eighths of a MiB; an eighth may just have made way.
        let room = 393_216 / (37 + 64 + 22 + topic.bytes.count)
        #expect((room * 7 / 8...2 * room + 4).contains(sizes.count))
        #expect(sizes.allSatisfy { $0 <= 1 << 20 })
        // An origin that is listened to finds room all the same.
        try network.write(0, "new", ["a": 1], type: "Order")
        network.run(milliseconds: 50)
        #expect(relay.cache["Order", "new"] != nil)
    }

    @Test func `a subscriber behind a relay of many names becomes live, and its reports fit`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.limits = WireLimits(frameByteCount: 64 << 10) }
        for number in 0..<400 {
            let push = ControlRequest.push(rid: 1, topic: .data(type: "User"), batch: try batch(name(number)))
            #expect(network.ask(.relay(0), push, from: [66, UInt8(number / 200)]).first == .accepted(rid: 1))
        }
        network.addReplica()
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 3_000)
        #expect(network.replicas[0].state(of: network.links[0].sender) == .live)
        let peer = try #require(network.relays[0].connectedPeers.first { $0.name == "replica-0" })
        let report = try #require(peer.report)
        #expect((150...400).contains(report.applied.count))
        #expect(ControlRequest.report(rid: 1, report: report).encode().count < 64 << 10)
    }

    @Test func `heads of endless origins are followed up to a bound, by a subscriber and by a relay`() throws {
        var wire = try Wire()
        wire.replica.origins.limits.bounds = FollowingBounds(streamCount: 1 << 18, originCount: 100)
        try wire.becomeLive()
        let topic = Topic.data(type: "User")
        func lie(_ number: Int) -> Heads {
            Heads(
                origin: name(number), incarnation: 1, stamp: UInt64(number + 1),
                heads: [TopicHead(topic: topic, sequence: 1, digest: 7)])
        }
        for number in 0..<1_000 {
            wire.replica.receiveStream(
                wire.sender, topic: Topic.heads(origin: name(number)).bytes.span, payload: lie(number).encode().span,
                now: wire.now)
        }
        // The origin itself is one of the hundred.
        #expect(wire.replica.streamStatus(now: wire.now).count == 99)
        #expect(wire.replica.counters[.refusedStreams] == 901)
        #expect(wire.replica.sessions[0].ages.count == 100)
        try wire.exchange()
        #expect(wire.notices.count { $0.kind == .streamsRefused } == 1)

        var network = RelayNetwork()
        try network.addRelay("relay") { $0.limits = WireLimits(frameByteCount: 8 << 10) }
        let relay = network.relays[0]
        let sender = relay.addSender()
        for number in 0..<1_000 {
            relay.receiveStream(
                sender, topic: Topic.heads(origin: name(number)).bytes.span, payload: lie(number).encode().span,
                now: network.now)
        }
        let followed = 7 * 1024 / (37 + 64 + 22 + topic.bytes.count)
        #expect(relay.replica.streamStatus(now: network.now).count == followed)
        #expect(relay.sources.byOrigin.count == followed)
        #expect(relay.replica.counters[.refusedStreams] > 900)
        network.carryOutAll()
        #expect(network.notices.count { $0.kind == .streamsRefused } == 1)
        let hello = ControlRequest.hello(rid: 1, version: 1, name: "honest", prefixes: [])
        #expect(network.ask(.relay(0), hello).first?.method == "welcome")
    }

    @Test func `heads and batches of endless topics are followed up to a bound, and their digests are not kept`() throws
    {
        var wire = try Wire()
        wire.replica.origins.limits.bounds = FollowingBounds(streamCount: 50, originCount: 100)
        try wire.becomeLive()
        try wire.write("User", "1", ["a": 1])
        wire.flush()
        wire.deliverAll()
        let stray = try batch("other")
        for number in 0..<1_000 {
            let topic = Topic.data(type: "T\(number)")
            let heads = Heads(
                origin: "origin", incarnation: wire.origin.incarnation, stamp: 1,
                heads: [TopicHead(topic: topic, sequence: 0, digest: 1)])
            wire.replica.receiveStream(
                wire.sender, topic: Array("h/origin".utf8).span, payload: heads.encode().span, now: wire.now)
            wire.replica.receiveStream(
                wire.sender, topic: Topic.data(type: "S\(number)").bytes.span, payload: stray.span,
                now: wire.now)
        }
        #expect(wire.replica.streamStatus(now: wire.now).count == 50)
        #expect(wire.replica.counters[.refusedStreams] == 2_000 - 49)
        #expect(wire.replica.audits.types(toldBy: wire.sender).count <= 50)
        // What is followed goes on.
        try wire.write("User", "2", ["a": 1])
        wire.flush()
        wire.deliverAll()
        #expect(wire.replica.cache["User", "2"] != nil)
    }

    @Test func `runs of sequences beyond a hole are bounded, and what was forgotten counts as missing`() {
        var tracker = SequenceTracker()
        for sequence in stride(from: 2 as UInt64, through: 20_000, by: 2) { _ = tracker.arrive(sequence) }
        #expect(tracker.ahead.count == SequenceTracker.aheadCountMax)
        #expect(tracker.head == 20_000)
        #expect(tracker.missingCount == 20_000 - UInt64(SequenceTracker.aheadCountMax))
        tracker.cover(through: 20_000)
        #expect(!tracker.hasHole && tracker.ahead.isEmpty)
    }
}
