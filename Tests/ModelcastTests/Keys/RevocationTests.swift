import Foundation
import ModelGrants
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// Grants that change while a process serves.
@Suite(.timeLimit(.minutes(10))) struct RevocationTests {
    private let server: Curve.KeyPair
    private let owner: Curve.KeyPair
    private let other: Curve.KeyPair

    init() throws {
        server = try Curve.KeyPair()
        owner = try Curve.KeyPair()
        other = try Curve.KeyPair()
    }

    /// Grants of the other key, and of the owner where it has some.
    private func grants(_ words: String?) throws -> Grants {
        let line = words.map { "grant \(owner.publicKey.z85) dash \($0)\n" } ?? ""
        return try Grants(parsing: line + "grant \(other.publicKey.z85) other subscribe:*")
    }

    private func security(_ access: Access) -> Security { Security(keys: server, access: access) }

    @Test func `a key that loses its grant in the middle of a snapshot gets no more of it`() async throws {
        let access = Access(try grants("subscribe:A"))
        var configuration = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.security = security(access)
        let publisher = try Publisher(configuration, logger: silent)
        for id in 0..<5_000 { try publisher.merge("A", "\(id)", ["n": .text(String(repeating: "x", count: 200))]) }
        let (server, owner) = (server, owner)
        let none = try grants(nil)
        try await running(publisher) { endpoints in
            try await SocketThread.run(named: "raw") { _ in
                let client = try RawClient(at: endpoints.control, owner, server.publicKey)
                try client.send(.snapshot(rid: 1, prefixes: [Topic.dataPrefix], credit: 1))
                try client.wait { !$0.replies.isEmpty }
                #expect(client.replies.map(\.method) == ["records"])
                access.replace(by: none)
                try client.send(.credit(rid: 1, count: 1_000))
                try client.wait { $0.isCut }
                #expect(client.replies.map(\.method) == ["records"])
            }
        }
    }

    @Test func `a key that loses its grant in the middle of a push pushes no more`() async throws {
        let access = Access(try grants("publish:A origin=job"))
        var configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        configuration.security = security(access)
        let relay = try Relay(configuration, logger: silent)
        let running = Task { try await relay.run() }
        let endpoint = try await relay.boundEndpoints.control
        let (server, owner) = (server, owner)
        let none = try grants(nil)
        try await SocketThread.run(named: "raw") { _ in
            let client = try RawClient(at: endpoint, owner, server.publicKey)
            func push(_ sequence: UInt64) throws {
                var writer = BatchWriter()
                let stamp = Clocks.now().wallMilliseconds << 16
                try writer.append(.merge, stamp: stamp, id: "\(sequence)", fields: ["n": 1])
                let batch = writer.finish(origin: "job", incarnation: 1, sequence: sequence)
                try client.send(.push(rid: sequence, topic: .data(type: "A"), batch: batch))
            }
            try push(1)
            try client.wait { !$0.replies.isEmpty }
            #expect(client.replies.map(\.method) == ["accepted"])
            access.replace(by: none)
            for sequence in 2...100 as ClosedRange<UInt64> { try push(sequence) }
            try client.wait { $0.isCut }
            #expect(client.replies.count == 1)
        }
        #expect(relay.cache.count(of: "A") == 1)
        running.cancel()
        try? await running.value
    }

    @Test func `grants are replaced under load, and a key that keeps its own misses nothing`() async throws {
        let access = Access(try grants("subscribe:A"))
        var configuration = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.security = security(access)
        let publisher = try Publisher(configuration, logger: silent)
        @Sendable func subscriber(_ name: String, _ keys: Curve.KeyPair, of control: String) throws -> Subscriber {
            var configuration = SubscriberConfiguration(name: name, publishers: [control])
            configuration.security = Security(keys: keys, server: server.publicKey)
            return try Subscriber(configuration, logger: silent)
        }
        try await running(publisher) { endpoints in
            try publisher.merge("A", "0", ["n": 0])
            let (kept, changed) = (
                try subscriber("kept", other, of: endpoints.control),
                try subscriber("changed", owner, of: endpoints.control)
            )
            try await during(kept) { kept in
                try await kept.waitUntilLive()
                try await during(changed) { changed in
                    try await changed.waitUntilLive()
                    for round in 1...30 as ClosedRange<Int64> {
                        access.replace(by: try grants(round % 2 == 0 ? "subscribe:A" : nil))
                        for id in 0..<100 { try publisher.merge("A", "\(id)", ["n": .int(round)]) }
                        #expect(await eventually { kept.cache["A", "99"]?["n"] == .int(round) })
                    }
                    #expect(kept.status.counters[.holesFound] == 0 && kept.status.isLive)
                    // It comes back by itself.
                    #expect(await eventually { changed.cache["A", "99"]?["n"] == 30 })
                }
            }
        }
    }
}
