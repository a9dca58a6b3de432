import ModelRecord
import TestSupport
import Testing

@testable import Modelcast

/// What one connection may cost whoever serves: messages without an end, and requests that take long.
@Suite(.timeLimit(.minutes(15))) struct GreedyConnectionTests {
    /// What a client of ZMTP 3.0 says until it may send: a greeting without keys, and of what kind it is.
    private static let greeting: [UInt8] = {
        let signature: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0]
        let mechanism = Array("NULL".utf8) + Array(repeating: 0, count: 16 + 1 + 31)
        let kind = [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("DEALER".utf8)
        let ready = [5] + Array("READY".utf8) + kind
        return signature + mechanism + [4, UInt8(ready.count)] + ready
    }()

    /// A frame behind which another one comes.
    private static func part(byteCount: Int) -> [UInt8] {
        [3] + (0..<8).map { UInt8(truncatingIfNeeded: byteCount >> (56 - 8 * $0)) }
            + Array(repeating: 7, count: byteCount)
    }

    @Test func `a message of ever more frames ends its connection, and others are served`() async throws {
        let configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        try await during(Relay(configuration, logger: silent)) { relay in
            let endpoint = try await relay.boundEndpoints.control
            try await SocketThread.run(named: "greedy") {
                let connection = try RawConnection(to: endpoint)
                connection.send(Self.greeting)
                _ = connection.read(byteCount: 64)
                let part = Self.part(byteCount: 60_000)
                let deadline = ContinuousClock.now + .seconds(60)
                while relay.status.counters[.refusedClients] == 0, ContinuousClock.now < deadline {
                    connection.send(part)
                }
            }
            #expect(relay.status.counters[.refusedClients] == 1)
            let job = try Publisher(PublisherConfiguration(name: "job", pushingTo: [endpoint]), logger: silent)
            // A large frame, but one.
            try job.merge("User", "1", ["text": .text(String(repeating: "x", count: 200 << 10))])
            try await during(job) { try await $0.waitUntilAcknowledged() }
            #expect(relay.cache["User", "1"] != nil)
            #expect(relay.status.counters[.refusedClients] == 1)
        }
    }

    @Test func `requests that take long leave the stream its turn after each`() async throws {
        let network = try TransportUnderTest(.zeroMQ)
        let control = network.control("a")
        try await SocketThread.run(named: "both ends") {
            let thread = try network.transport.implementation.openThread()
            let server = try thread.serve(
                ServingSettings(
                    control: control, stream: nil, frameByteCount: 1 << 20, batchByteCount: 32 << 10,
                    subscriberQueueByteCount: 16 << 20, answersByteCount: 16 << 20, logger: silent))
            let client = try thread.connect(
                to: control,
                ConnectionSettings(frameByteCount: 1 << 20, queueByteCount: 16 << 20, greetings: .untilGreeted))
            for number in 0..<10 { try client.send([UInt8(number)]) }
            var requests: [UInt8] = []
            let deadline = ContinuousClock.now + .seconds(120)
            while requests.count < 10, ContinuousClock.now < deadline {
                try thread.wait(timeout: .milliseconds(20))
                let before = requests.count
                try server.receive(subscribed: { _ in }) { request in
                    requests += request.payload
                    let end = ContinuousClock.now + .milliseconds(3)
                    while ContinuousClock.now < end {}
                }
                #expect(requests.count <= before + 1)
            }
            #expect(requests == Array(0..<10))
        }
    }
}
