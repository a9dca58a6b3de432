import Foundation
import ModelRecord
import ModelWire
import Synchronization
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// Somebody who sends requests without end and means harm, beside an honest subscriber, over real sockets.
@Suite(.timeLimit(.minutes(15))) struct HostilePeerTests {
    /// A debug build, with the sanitizer above all, is some ten times slower.
    private static let frameCount: Int = {
        #if DEBUG
            return 10_000
        #else
            return 100_000
        #endif
    }()
    /// How much the process may grow, once the first tenth of the frames has warmed it up. The sanitizer, which comes
    /// with a debug build, keeps a shadow of all memory.
    private static let grownByteCountMax: Int = {
        #if DEBUG
            return 256 << 20
        #else
            return 64 << 20
        #endif
    }()
    private static let seed = ProcessInfo.processInfo.environment["MODELCAST_SEED"].flatMap { UInt64($0) } ?? 1
    private static let modelCount = 2_000

    @Test func `hostile requests without end cost bounded memory, and a subscriber is served meanwhile`() async throws {
        print("HostilePeerTests: \(HostilePeerTests.frameCount) frames of MODELCAST_SEED=\(HostilePeerTests.seed)")
        let configure = { (configuration: inout PublisherConfiguration) in
            configuration.heartbeatInterval = .milliseconds(500)
            // What is written meanwhile must not fill it: its growth is not the hostile peer's.
            configuration.replayByteCount = 4 << 20
        }
        try await withPair(configure: configure) { publisher, subscriber in
            let text = String(repeating: "x", count: 100)
            for id in 0..<HostilePeerTests.modelCount {
                try publisher.merge("User", "\(id)", ["text": .text(text), "round": 0])
            }
            #expect(await becomeEqual(publisher, subscriber))

            let endpoint = try await publisher.boundEndpoints.control
            let incarnation = publisher.core.withLock { $0.origin.incarnation }
            let over = Flag()
            async let attack = SocketThread.run(named: "hostile") { () throws -> Attack in
                defer { over.set() }
                var frames = HostileFrames(
                    seed: HostilePeerTests.seed, origin: publisher.configuration.name, incarnation: incarnation)
                var peer = try HostilePeer(endpoint)
                return try peer.attack(with: &frames, count: HostilePeerTests.frameCount) { malformedCount in
                    publisher.status.counters[.malformedFrames] >= malformedCount
                }
            }
            var round: Int64 = 0
            repeat {
                round += 1
                let number = round
                let ids = (0..<100).map { "\((Int(number) * 100 + $0) % HostilePeerTests.modelCount)" }
                for id in ids { try publisher.merge("User", id, ["round": .int(number)]) }
                let isHere = await eventually {
                    ids.allSatisfy { subscriber["User", $0]?["round"]?.intValue == number }
                }
                try #require(isHere, "round \(number)")
            } while !over.isSet
            let outcome = try await attack

            #expect(await becomeEqual(publisher, subscriber))
            #expect(subscriber.cache.count(of: "User") == HostilePeerTests.modelCount)
            #expect(publisher.cache.types == ["User"])
            #expect(await eventually { publisher.status.peers.contains { $0.name == "subscriber" && $0.isLive } })
            // Every frame has arrived, and was counted.
            let counters = publisher.status.counters
            #expect(outcome.malformedCount > 0)
            #expect(counters[.malformedFrames] == outcome.malformedCount)
            #expect(counters[.requestsMalformed] >= outcome.malformedCount)
            #expect(counters[.requestsBusy] > 0, "\(counters.nonZero)")
            #expect(counters[.requestsRefused] >= counters[.requestsMalformed] + counters[.requestsBusy])
            #expect(counters[.requestsIgnored] > 0)
            #expect(outcome.grownByteCount < HostilePeerTests.grownByteCountMax)
            print("HostilePeerTests: \(round) rounds, memory grown by \(outcome.grownByteCount >> 10) KiB")
        }
    }
}

/// What has come of an attack.
private struct Attack: Sendable {
    /// How many of its frames were no requests at all.
    var malformedCount: UInt64 = 0
    /// How much this process, in which both sides are, has grown meanwhile.
    var grownByteCount = 0
}

private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

/// The socket of somebody who keeps to nothing; belongs to one thread.
private struct HostilePeer: ~Copyable {
    private let socket: Socket
    private var poller: Poller
    private let token: Poller.Token

    /// What waits in either direction. The answers wait in this process too, and its growth is measured.
    private static let queueCount = 100
    /// Reached only when something is broken.
    private static let limit = Duration.seconds(30)

    init(_ endpoint: String) throws {
        let socket = try Socket(.dealer, in: Context())
        try socket.set(.receiveHighWaterMark, HostilePeer.queueCount)
        try socket.set(.sendHighWaterMark, HostilePeer.queueCount)
        try socket.connect(endpoint)
        var poller = try Poller()
        let token = try poller.add(socket, for: [.readable, .writable])
        self.socket = socket
        self.poller = poller
        self.token = token
    }

    /// Sends so many frames.
    /// - Parameter isRead: the publisher has read so many frames that are no requests. What is not read when the socket
    ///   closes would be lost.
    mutating func attack(
        with frames: inout HostileFrames, count: Int, until isRead: (UInt64) -> Bool
    ) throws -> Attack {
        var attack = Attack()
        var memory = MemoryWatch()
        for index in 0..<count {
            let frame = frames.next()
            if (try? ControlRequest(decoding: frame.span)) == nil { attack.malformedCount += 1 }
            try send(frame)
            if index % 16 == 0 { try dropAnswers() }
            if index >= count / 10, index % 500 == 0 { memory.look() }
        }
        poller.setInterest(.readable, of: token)
        let deadline = ContinuousClock.now + HostilePeer.limit
        while !isRead(attack.malformedCount), ContinuousClock.now < deadline {
            try dropAnswers()
            _ = try poller.wait(timeout: .milliseconds(20))
        }
        memory.look()
        attack.grownByteCount = memory.grownByteCount
        return attack
    }

    /// Takes what it is answered when it has to wait, or each side would wait for the other.
    private mutating func send(_ frame: [UInt8]) throws {
        // The span is borrowed for the call only, which copies it.
        var message = unsafe Message(copying: frame.span.bytes)
        let deadline = ContinuousClock.now + HostilePeer.limit
        while try socket.send(&message) != .sent {
            guard ContinuousClock.now < deadline else { throw CaseFailure("the publisher reads no requests any more") }
            try dropAnswers()
            _ = try poller.wait(timeout: .seconds(1))
        }
    }

    private func dropAnswers() throws {
        var answer = Message()
        while try socket.receive(into: &answer) {}
    }
}

/// Random bytes, requests cut short or damaged, valid ones, and snapshots that are begun and never taken.
private struct HostileFrames {
    private var generator: SeededGenerator
    private let valid: [[UInt8]]
    /// The numbers of the snapshots are those of no other request, so that none of them is given credit.
    private var rid: UInt64 = 1_000

    init(seed: UInt64, origin: String, incarnation: UInt64) {
        generator = SeededGenerator(seed: seed)
        let topic = Topic.data(type: "User")
        let heads = Heads(
            origin: origin, incarnation: incarnation, stamp: 1, heads: [TopicHead(topic: topic, sequence: 1 << 40)])
        let requests: [ControlRequest] = [
            .hello(rid: 1, version: 1, name: "hostile", prefixes: [Topic.dataPrefix]),
            .snapshot(rid: 2, prefixes: [Topic.dataPrefix], credit: 1), .credit(rid: 2, count: 3), .cancel(rid: 2),
            .replay(rid: 3, origin: origin, incarnation: incarnation, topic: topic, first: 1, last: 2),
            .fetch(rid: 4, type: "User", ids: ["1", "2"]), .digest(rid: 5, type: "User", bits: 8),
            .push(rid: 6, topic: topic, batch: [0x86, 0, 0x61, 0x61, 1, 1, 1, 0x80]),
            .report(rid: 7, report: ReplicaReport(state: "live", applied: [heads])),
        ]
        valid = requests.map { $0.encode() }
    }

    mutating func next() -> [UInt8] {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: return .random(lengths: 0...64, using: &generator)
        case 2, 3: return cutShort()
        case 4, 5: return damaged()
        case 6: return valid.randomElement(using: &generator) ?? []
        default:
            rid += 1
            let credit = UInt64.random(in: 0...1, using: &generator)
            return ControlRequest.snapshot(rid: rid, prefixes: [Topic.dataPrefix], credit: credit).encode()
        }
    }

    private mutating func cutShort() -> [UInt8] {
        let frame = valid.randomElement(using: &generator) ?? []
        return Array(frame.prefix(Int.random(in: 0..<frame.count, using: &generator)))
    }

    private mutating func damaged() -> [UInt8] {
        var frame = valid.randomElement(using: &generator) ?? []
        frame.damage(using: &generator)
        return frame
    }
}
