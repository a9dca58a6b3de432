import ModelRecord
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// What peers call themselves and say, where people read it.
@Suite(.timeLimit(.minutes(15))) struct PeerTextTests {
    /// Forges a line of a log, colours the rest of a terminal and reads backwards.
    private static let hostile = "x\n2026-01-01 error: forged\u{1B}[31m\u{9B}2J\u{202E}\u{2028}"

    private func isHarmless(_ text: String) -> Bool { !text.unicodeScalars.contains(where: \.isHidden) }

    @Test func `names and messages of a sender reach log, status and errors on one line`() async throws {
        let sender = try FakeSender { request in
            switch request {
            case .hello(let rid, _, _, _):
                [
                    .welcome(
                        rid: rid, version: 1, name: Self.hostile, streamEndpoint: "tcp://\(Self.hostile)",
                        heartbeatMilliseconds: 60_000, frameLimit: 1 << 20, heads: [], types: [])
                ]
            case .fetch(let rid, _, _): [.error(rid: rid, code: .denied, message: Self.hostile)]
            default: nil
            }
        }
        let log = RecordedLog()
        let configuration = SubscriberConfiguration(name: "subscriber", publishers: [sender.control])
        try await during(Subscriber(configuration, logger: log.makeLogger())) { subscriber in
            #expect(await eventually { subscriber.status.senders.first?.lastError?.contains("forged") == true })
            #expect(subscriber.status.senders.allSatisfy { isHarmless($0.name) && isHarmless($0.lastError ?? "") })
            #expect(subscriber.status.senders.first?.name.contains("forged") == true)
        }
        for entry in log.entries { #expect(entry.metadata.values.allSatisfy(isHarmless), "\(entry)") }
        let client = try ControlClient(endpoint: sender.control)
        let error = await #expect(throws: ModelcastError.self) { try await client.fetch("User", ["1"]) }
        #expect(error?.message.contains("forged") == true && isHarmless(error?.message ?? "\n"))
    }

    @Test func `an error of a sender is logged on one line`() async throws {
        let sender = try FakeSender { request in
            guard case .snapshot(let rid, _, _) = request else { return nil }
            return [.error(rid: rid, code: ControlErrorCode(rawValue: "a\nb"), message: Self.hostile)]
        }
        let log = RecordedLog()
        let configuration = SubscriberConfiguration(name: "subscriber", publishers: [sender.control])
        try await during(Subscriber(configuration, logger: log.makeLogger())) { _ in
            #expect(await eventually { log.entries.contains { $0.metadata["message"]?.contains("forged") == true } })
        }
        for entry in log.entries { #expect(entry.metadata.values.allSatisfy(isHarmless), "\(entry)") }
    }

    @Test func `what a peer calls itself and reports is kept on one line`() async throws {
        let publisher = try makePublisher(nil)
        try await running(publisher) { endpoints in
            let stream = ReplicaReport.Stream(
                origin: "o", topic: .data(type: "User"), state: "a\nb", milliseconds: 1, reason: Self.hostile)
            let report = ReplicaReport(state: "x\u{1B}", streams: [stream], counters: ["a\nb": 1])
            let requests = [
                ControlRequest.hello(rid: 1, version: 1, name: Self.hostile, prefixes: [Topic.dataPrefix]),
                .report(rid: 2, report: report),
            ]
            try await SocketThread.run(named: "test") {
                let socket = try Socket(.dealer, in: Context())
                try socket.connect(endpoints.control)
                for request in requests { _ = try socket.send(Message(request.encode())) }
                var poller = try Poller()
                _ = try poller.add(socket)
                _ = try poller.wait(timeout: .seconds(30))
            }
            #expect(await eventually { publisher.status.peers.contains { $0.report != nil } })
            let peer = try #require(publisher.status.peers.first)
            #expect(peer.name.contains("forged") && isHarmless(peer.name))
            let told = try #require(peer.report)
            #expect(isHarmless(told.state) && told.counters.keys.allSatisfy(isHarmless))
            #expect(told.streams.allSatisfy { isHarmless($0.state) && isHarmless($0.reason) })
        }
    }
}
