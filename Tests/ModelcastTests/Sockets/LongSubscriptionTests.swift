import Foundation
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// Peers that subscribe to more than any topic has: a stream keeps a subscription for as long as its peer is connected.
@Suite(.timeLimit(.minutes(15))) struct LongSubscriptionTests {
    /// What comes of a peer that subscribes to these prefixes, and then raises a barrier.
    /// - Returns: false when the barrier was answered, true when the connection was ended.
    private static func isCut(subscribingTo prefixes: [[UInt8]], at stream: String) async throws -> Bool {
        try await SocketThread.run(named: "long-subscription") { () throws -> Bool in
            // An XSUB: with a SUB the library refuses such a subscription by itself.
            let socket = try Socket(.xsub, in: Context())
            try socket.set(.reconnectInterval, nil)
            let monitor = try socket.makeMonitor()
            try socket.connect(stream)
            var poller = try Poller()
            _ = try poller.add(monitor)
            _ = try poller.add(socket)
            let barrier = Topic.barrier((0..<16).map { _ in .random(in: .min ... .max) }).bytes
            for prefix in prefixes { _ = try socket.send(Message([1] + prefix)) }
            _ = try socket.send(Message([1] + barrier))
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                while let event = try monitor.next() {
                    if event.kind == .disconnected { return true }
                }
                while let message = try socket.receive() {
                    if message.array == barrier { return false }
                }
                _ = try poller.wait(timeout: .seconds(1))
            }
            throw CaseFailure("neither an answer nor an end in a minute")
        }
    }

    @Test func `a stream takes no subscription of more than 1 KiB: who sends one is cut, and others are served`()
        async throws
    {
        let publisher = try makePublisher(nil)
        try await running(publisher) { origin in
            let relay = try makeRelay(of: origin)
            try await during(relay) { relay in
                let endpoints = try await relay.boundEndpoints
                try await subscribing(to: [endpoints.control]) { subscriber in
                    try await subscriber.waitUntilLive()
                    for stream in [origin.stream, endpoints.stream] {
                        // What libzmq adds to a prefix counts, too.
                        for (byteCount, isTooLong) in [(1_000, false), (1_025, true), (2_000, true)] {
                            let prefix = [UInt8](repeating: 65, count: byteCount)
                            let isCut = try await Self.isCut(subscribingTo: [prefix], at: stream)
                            #expect(isCut == isTooLong, "\(byteCount) bytes at \(stream)")
                        }
                    }
                    try publisher.merge("User", "1", ["n": 1])
                    #expect(await eventually { subscriber["User", "1"]?["n"] == 1 })
                    #expect(subscriber.status.isLive)
                }
            }
        }
    }

    @Test func `all who have no keys may subscribe to 512 KiB that differ, and who has subscribed to most goes first`()
        throws
    {
        var accounts = SubscriptionAccounts()
        let honest = try ConnectedPair()
        let prefix = [1] + Array("m/User/".utf8)
        let isFirstTaken = accounts.count(prefix, of: honest.connection, key: nil, reading: [])
        #expect(isFirstTaken)
        let greedy = try (0..<20).map { _ in try ConnectedPair() }
        func subscribe(_ own: (Int) -> UInt8) {
            for number in 0..<30 {
                for (index, pair) in greedy.enumerated() where !pair.isCut {
                    let frame = [1, UInt8(number), own(index)] + [UInt8](repeating: 0, count: 1_000)
                    _ = accounts.count(frame, of: pair.connection, key: nil, reading: [])
                }
            }
        }
        // What all have counts once.
        subscribe { _ in 255 }
        #expect(!greedy.contains { $0.isCut })
        subscribe { UInt8($0) }
        let cutCount = greedy.count { $0.isCut }
        // 600 KB that differ were asked for, and a quarter more than needed makes way.
        #expect((3...8).contains(cutCount), "\(cutCount)")
        #expect(!honest.isCut)
        let isNextTaken = accounts.count(prefix, of: honest.connection, key: nil, reading: [])
        #expect(isNextTaken)
        // Any number of connections that take what a subscriber takes.
        let many = try (0..<200).map { _ in try ConnectedPair() }
        for pair in many {
            for _ in 0..<40 {
                let isTaken = accounts.count(prefix, of: pair.connection, key: nil, reading: [])
                #expect(isTaken)
            }
        }
        #expect(!many.contains { $0.isCut })
    }

    @Test func `any number subscribe at once while a stream keeps up, and some of them where it does not`() throws {
        let pairs = try (0..<20).map { _ in try ConnectedPair() }
        for keepsUp in [true, false] {
            var intake = SubscriptionIntake()
            for pair in pairs { intake.add(pair.connection, at: 0) }
            var (turn, sent, ended) = (UInt64(1), [Connection: UInt64](), Set<Connection>())
            // Each sends 168 KB, 8 KB at a time: all have 3.4 MB.
            for step: UInt64 in 1...40 {
                for pair in pairs where !ended.contains(pair.connection) && step <= 21 {
                    sent[pair.connection, default: 0] += 8_000
                }
                if keepsUp { turn += 1 }
                ended.formUnion(intake.look(at: step * 10_000, turn: turn) { sent[$0] ?? 0 })
            }
            #expect(keepsUp ? ended.isEmpty : (10...18).contains(ended.count), "\(keepsUp): \(ended.count)")
            // What was taken in vain, the first excess included, is less than twice the bound.
            if !keepsUp { #expect(sent.values.reduce(0, +) < 2 * (1 << 20 + 20 * 4 << 10)) }
        }
    }

    @Test func `nobody comes in while a stream is behind, and everybody when it has caught up`() throws {
        var intake = SubscriptionIntake()
        let greedy = try (0..<2).map { _ in try ConnectedPair() }
        let (small, late) = (try ConnectedPair(), try ConnectedPair())
        for pair in greedy + [small] { intake.add(pair.connection, at: 0) }
        var sent: [Connection: UInt64] = [:]
        for step: UInt64 in 1...100 {
            let time = step * 50_000
            for pair in greedy { sent[pair.connection] = step * 12_800 }
            sent[small.connection] = min(step, 10) * 100
            let ended = intake.look(at: time, turn: 1) { sent[$0] ?? 0 }
            guard !ended.isEmpty else { continue }
            #expect(Set(greedy.map(\.connection)).isSuperset(of: ended))
            intake.add(late.connection, at: time)
            let refused = intake.look(at: time + 5_000, turn: 1) { sent[$0] ?? 0 }
            #expect(refused == [late.connection])
            let caughtUp = intake.look(at: time + 10_000, turn: 2) { sent[$0] ?? 0 }
            intake.add(late.connection, at: time + 10_000)
            let later = intake.look(at: time + 100_000, turn: 2) { sent[$0] ?? 0 }
            #expect(caughtUp.isEmpty && later.isEmpty)
            return
        }
        Issue.record("the greedy ones were not ended")
    }

    @Test func `a connection has eight barriers answered, and one a second after that`() throws {
        var accounts = SubscriptionAccounts()
        let pair = try ConnectedPair()
        let other = try ConnectedPair()
        for connection in [pair.connection, other.connection] {
            _ = accounts.count([1, 255], of: connection, key: nil, reading: [])
        }
        func raised(_ connection: Connection, at time: UInt64) -> Int {
            (0..<100).count { _ in accounts.mayRaiseBarrier(connection, at: time) }
        }
        let counts = [1_000_000, 3_000_000].map { raised(pair.connection, at: $0) }
        #expect(counts == [8, 2])
        let others = raised(other.connection, at: 3_000_000)
        #expect(others == 8)
    }

    /// A peer that begins so many random subscriptions, and the events of its connection.
    private static func greedy(
        _ stream: String, subscriptions: Int, in context: Context
    ) throws -> (SharedSocket, SharedMonitor) {
        let socket = try Socket(.xsub, in: context)
        try socket.set(.reconnectInterval, nil)
        try socket.set(.sendHighWaterMark, 0)
        let monitor = try SharedMonitor(of: socket)
        try socket.connect(stream)
        for _ in 0..<subscriptions {
            // No barrier, which begins with 255.
            _ = try socket.send(Message([1, 65] + (0..<29).map { _ in UInt8.random(in: .min ... .max) }))
        }
        return (try SharedSocket(socket), monitor)
    }

    /// How many of some peers that begin random subscriptions, and stay, have been cut once one is.
    private static func flood(_ stream: String, connections: Int, subscriptions: Int) async throws -> Int {
        try await SocketThread.run(named: "flood") { () throws -> Int in
            let context = try Context()
            var poller = try Poller()
            var peers: [(socket: SharedSocket, monitor: SharedMonitor)] = []
            for _ in 0..<connections {
                peers.append(try greedy(stream, subscriptions: subscriptions, in: context))
                _ = poller.add(peers[peers.count - 1].monitor)
            }
            var cutCount = 0
            let deadline = ContinuousClock.now + .seconds(60)
            while cutCount == 0, ContinuousClock.now < deadline {
                _ = try poller.wait(timeout: .seconds(1))
                for peer in peers {
                    while let event = try peer.monitor.next() {
                        if event.kind == .disconnected { cutCount += 1 }
                    }
                }
            }
            return cutCount
        }
    }

    @Test func `a flood of subscriptions is ended while it comes, and others are served`() async throws {
        let publisher = try makePublisher(nil)
        try await running(publisher) { origin in
            try await subscribing(to: [origin.control]) { subscriber in
                try await subscriber.waitUntilLive()
                let cutCount = try await Self.flood(origin.stream, connections: 12, subscriptions: 8_000)
                #expect(cutCount > 0)
                try publisher.merge("User", "1", ["n": 1])
                #expect(await eventually { subscriber["User", "1"]?["n"] == 1 })
                // On a slow machine the flood holds heads up for seconds, and the update comes before the next ones.
                #expect(await eventually { subscriber.status.isLive })
            }
        }
    }
}

/// A connection, and its other end.
private final class ConnectedPair {
    let connection: Connection
    private let ends: [CInt]

    init() throws {
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0,
            let connection = Connection(descriptor: ends[0])
        else { throw CaseFailure("no pair of sockets") }
        (self.connection, self.ends) = (connection, ends)
    }

    deinit { for end in ends { close(end) } }

    /// The other end finds the connection ended.
    var isCut: Bool {
        var byte: UInt8 = 0
        return unsafe recv(ends[1], &byte, 1, CInt(MSG_DONTWAIT)) == 0
    }
}
