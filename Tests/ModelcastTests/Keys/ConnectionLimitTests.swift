import Foundation
import ModelGrants
import ModelSync
import ModelWire
import TestSupport
import Testing

@testable import Modelcast
@testable import ZeroMQ

/// How many connections a key may have, and what becomes of those that say nothing.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLimitTests {
    private static func publisher(
        _ server: Curve.KeyPair, _ owner: Curve.KeyPair, _ words: String
    ) throws -> (Publisher, Access) {
        let access = Access(try Grants(parsing: "grant \(owner.publicKey.z85) dash \(words)"))
        var configuration = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.security = Security(keys: server, access: access)
        return (try Publisher(configuration, logger: silent), access)
    }

    @Test func `a key has as many connections as it may, is told of one more, and has room when one has gone`()
        async throws
    {
        let (server, owner) = (try Curve.KeyPair(), try Curve.KeyPair())
        let (publisher, _) = try Self.publisher(server, owner, "subscribe:* connections=2")
        try publisher.merge("A", "1", ["n": 1])
        try await running(publisher) { endpoints in
            try await SocketThread.run(named: "raw") { _ in
                func client() throws -> RawClient { try RawClient(at: endpoints.control, owner, server.publicKey) }
                var first: RawClient? = try client()
                let second = try client()
                try first?.hello(1)
                try first?.wait { !$0.replies.isEmpty }
                try second.hello(1)
                try second.wait { !$0.replies.isEmpty }
                #expect(first?.replies[0].method == "welcome" && second.replies[0].method == "welcome")
                let third = try client()
                try third.hello(5)
                try third.wait { !$0.replies.isEmpty }
                guard case .error(5, .limit, let message)? = third.replies.first else {
                    Issue.record("\(third.replies)")
                    return
                }
                #expect(message.hasPrefix("connections=2 is what dash may have"))
                // It is ended a moment later, whether it says more or not.
                try third.wait { $0.isCut }
                // The others go on.
                try second.hello(2)
                try second.wait { $0.replies.count == 2 }
                #expect(second.replies[1].method == "welcome")
                first = nil
                var isIn = false
                let deadline = ContinuousClock.now + .seconds(60)
                while !isIn, ContinuousClock.now < deadline {
                    let fourth = try client()
                    try fourth.hello(1)
                    try fourth.wait { !$0.replies.isEmpty }
                    isIn = fourth.replies[0].method == "welcome"
                }
                #expect(isIn)
            }
        }
    }

    @Test func `a key has as many streams as it may, and one more is ended`() async throws {
        let (server, owner) = (try Curve.KeyPair(), try Curve.KeyPair())
        let (publisher, _) = try Self.publisher(server, owner, "subscribe:* connections=1")
        try publisher.merge("A", "1", ["n": 1])
        try await running(publisher) { endpoints in
            try await SocketThread.run(named: "raw") { _ in
                let first = try RawClient(.sub, at: endpoints.stream, owner, server.publicKey)
                // A heartbeat has come, so the subscription has been read.
                let deadline = ContinuousClock.now + .seconds(60)
                while try !first.hears(), ContinuousClock.now < deadline {}
                let second = try RawClient(.sub, at: endpoints.stream, owner, server.publicKey)
                try second.wait { $0.isCut }
                try first.look()
                #expect(!first.isCut)
            }
        }
    }

    @Test func `a connection that never says anything ends when its key loses its grant`() async throws {
        let (server, owner) = (try Curve.KeyPair(), try Curve.KeyPair())
        let (publisher, access) = try Self.publisher(server, owner, "subscribe:*")
        try await running(publisher) { endpoints in
            try await SocketThread.run(named: "raw") { _ in
                let control = try RawClient(at: endpoints.control, owner, server.publicKey)
                let stream = try RawClient(.sub, at: endpoints.stream, owner, server.publicKey, subscribes: false)
                try control.wait { $0.isGreeted }
                try stream.wait { $0.isGreeted }
                access.replace(by: try Grants(parsing: "grant \(server.publicKey.z85) self operate"))
                try control.wait { $0.isCut }
                try stream.wait { $0.isCut }
            }
        }
    }

    @Test func `of many silent connections those that have been so for long are ended, the oldest first`() throws {
        var silent = SilentConnections()
        var pairs: [(ours: Int32, theirs: Int32)] = []
        for number in 0..<100 {
            var ends: [Int32] = [0, 0]
            #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            pairs.append((ends[0], ends[1]))
            silent.note(Self.accepted(ends[0]), at: UInt64(number) * 1_000)
        }
        defer { for pair in pairs { for end in [pair.ours, pair.theirs] { close(end) } } }
        func ended() -> [Int] {
            pairs.indices.filter { index in
                var byte: UInt8 = 0
                return unsafe recv(pairs[index].theirs, &byte, 1, Int32(MSG_DONTWAIT)) == 0
            }
        }
        // Two of the oldest speak; another is gone, and its descriptor is somebody else's.
        for index in [0, 1] { silent.spoke(try #require(Connection(descriptor: pairs[index].ours))) }
        silent.note(SocketEvent(event: 0x0200, value: UInt32(pairs[2].ours), endpoint: ""), at: 100_000)
        silent.cutExcess(at: 9_000_000)
        #expect(ended().isEmpty)
        silent.cutExcess(at: 11_000_000)
        // Of 97 there are 64 left.
        #expect(ended() == Array(3..<36))
        silent.cutAll()
        #expect(ended() == Array(3..<100))
    }

    private static func accepted(_ descriptor: Int32) -> SocketEvent {
        SocketEvent(event: 0x0020, value: UInt32(descriptor), endpoint: "")
    }
}
