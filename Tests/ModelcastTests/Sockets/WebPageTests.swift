import Foundation
import ModelRecord
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// What a web page in a browser of this host can reach: it may send an HTTP request with any body to any port.
@Suite(.timeLimit(.minutes(15))) struct WebPageTests {
    /// What is asked of a control endpoint: a greeting, and a push of one model.
    private static func requests() throws -> [[UInt8]] {
        let now = UInt64(Date.now.timeIntervalSince1970 * 1000) << 16
        var writer = BatchWriter()
        try writer.append(.merge, stamp: now, id: "1", fields: ["name": "Mallory"])
        let batch = writer.finish(origin: "page", incarnation: now, sequence: 1)
        let topic = Topic.data(type: "User")
        return [
            ControlRequest.hello(rid: 1, version: 1, name: "page", prefixes: [Topic.dataPrefix]).encode(),
            ControlRequest.push(rid: 2, topic: topic, batch: batch).encode(),
        ]
    }

    /// A greeting of ZMTP 2.0 of a socket of this kind, and one message.
    private static func greeting2(kind: UInt8, _ message: [UInt8]) -> [UInt8] {
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, kind, 0, 0, 0, UInt8(message.count)] + message
    }

    private func relaying(_ body: @escaping @Sendable (Relay, SenderEndpoints) async throws -> Void) async throws {
        var configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        configuration.heartbeatInterval = .milliseconds(20)
        try await during(Relay(configuration, logger: silent)) { relay in
            try await body(relay, try await relay.boundEndpoints)
        }
    }

    /// What a ZeroMQ socket says before it knows to whom it speaks.
    private func isGreeting(_ bytes: [UInt8]) -> Bool { bytes.count <= 12 && (bytes.isEmpty || bytes[0] == 0xFF) }

    @Test func `an HTTP request whose body are our requests changes nothing at a relay without keys`() async throws {
        try await relaying { relay, endpoints in
            let requests = try Self.requests()
            for attack in [
                RawConnection.httpPost(of: requests), Self.greeting2(kind: 5, requests[1]),
                // ZMTP 1.0 with its long signature.
                [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 0] + requests[1],
            ] {
                let page = try RawConnection(to: endpoints.control)
                page.send(attack)
                let said = try #require(page.readToEnd(), "the connection was left open")
                #expect(self.isGreeting(said), "\(said)")
            }
            // A peer that speaks ZMTP 3 comes in, and finds that nobody was there before it.
            let job = try Publisher(
                PublisherConfiguration(name: "job", pushingTo: [endpoints.control]), logger: silent)
            try job.merge("User", "2", ["name": "Ada"])
            try await during(job) { try await $0.waitUntilAcknowledged() }
            #expect(relay.cache["User", "1"] == nil && relay.cache["User", "2"]?["name"] == "Ada")
            #expect(await eventually { relay.status.replicaCounters[.pushedBatches] == 1 })
            #expect(relay.status.counters[.malformedFrames] == 0 && relay.status.counters[.requestsRefused] == 0)
            #expect(!relay.status.peers.contains { $0.name == "page" })
        }
    }

    @Test func `an HTTP request to the stream of a relay without keys is told nothing`() async throws {
        try await relaying { relay, endpoints in
            for attack in [RawConnection.httpPost(of: [[1], [1] + Array("m/".utf8)]), Self.greeting2(kind: 2, [1])] {
                let page = try RawConnection(to: endpoints.stream)
                page.send(attack)
                let said = try #require(page.readToEnd(), "the connection was left open")
                #expect(self.isGreeting(said), "\(said)")
            }
            try await subscribing(to: [endpoints.control]) { try await $0.waitUntilLive() }
        }
    }
}
