import Foundation
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// Peers that subscribe to more than any topic has: a stream keeps a subscription for as long as its peer is connected.
@Suite(.timeLimit(.minutes(15))) struct LongSubscriptionTests {
    /// What comes of a peer that subscribes to a prefix of so many bytes, and then raises a barrier.
    /// - Returns: false when the barrier was answered, true when the connection was ended.
    private static func isCut(subscribingTo byteCount: Int, at stream: String) async throws -> Bool {
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
            _ = try socket.send(Message([1] + [UInt8](repeating: 65, count: byteCount)))
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
                            let isCut = try await Self.isCut(subscribingTo: byteCount, at: stream)
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

    @Test func `all who have no keys may subscribe to 4 MiB, and who has subscribed to most goes first`() throws {
        var accounts = SubscriptionAccounts()
        let honest = try ConnectedPair()
        let prefix = [1] + Array("m/User/".utf8)
        let isFirstTaken = accounts.count(prefix, of: honest.connection, key: nil, reading: [])
        #expect(isFirstTaken)
        let greedy = try (0..<20).map { _ in try ConnectedPair() }
        for number in 0..<240 {
            let frame = [1] + [UInt8](repeating: UInt8(number), count: 1_000)
            for pair in greedy where !pair.isCut {
                _ = accounts.count(frame, of: pair.connection, key: nil, reading: [])
            }
        }
        let cutCount = greedy.count { $0.isCut }
        // 4.8 MB were asked for, and a quarter more than needed makes way.
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
