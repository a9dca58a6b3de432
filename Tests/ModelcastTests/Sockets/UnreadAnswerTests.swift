import Dispatch
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// Peers that ask and never read, over real sockets.
@Suite(.timeLimit(.minutes(15))) struct UnreadAnswerTests {
    private static let modelCount = 1_000
    private static let dataByteCount = 12_000_000

    /// A peer that asks for everything, many times, and takes nothing. Belongs to one thread.
    private final class MutePeer {
        private let socket: Socket

        init(_ endpoint: String, in context: Context, requests: Int) throws {
            socket = try Socket(.dealer, in: context)
            try socket.set(.receiveHighWaterMark, 1)
            try socket.set(.linger, .zero)
            try socket.connect(endpoint)
            for rid in 0..<UInt64(requests) {
                for request in [
                    ControlRequest.snapshot(rid: rid, prefixes: [.dataPrefix], credit: 64),
                    .credit(rid: rid, count: 64),
                ] {
                    _ = try socket.send(Message(request.encode()))
                }
            }
        }
    }

    /// Holds so many of them until it is told that it is over.
    private func hold(_ count: Int, requests: Int, at endpoint: String, until over: DispatchSemaphore) async throws {
        try await SocketThread.run(named: "mutes") {
            let context = try Context()
            let mutes = try (0..<count).map { _ in try MutePeer(endpoint, in: context, requests: requests) }
            over.wait()
            withExtendedLifetime(mutes) {}
        }
    }

    private func publisher(_ control: String) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "publisher", endpoints: try SenderEndpoints(control: control))
        configuration.answersByteCount = 8 << 20
        configuration.replayByteCount = 1 << 20
        let publisher = try Publisher(configuration, logger: silent)
        let text = String(repeating: "x", count: UnreadAnswerTests.dataByteCount / UnreadAnswerTests.modelCount)
        for id in 0..<UnreadAnswerTests.modelCount { try publisher.merge("Page", "\(id)", ["text": .text(text)]) }
        return publisher
    }

    @Test func `peers that ask for snapshots and never read cost bounded memory, and others are served meanwhile`()
        async throws
    {
        try await during(try publisher("tcp://127.0.0.1:*")) { publisher in
            let endpoint = try await publisher.boundEndpoints.control
            let client = try ControlClient(endpoint: endpoint)
            _ = try await client.copy()
            var watch = MemoryWatch()
            watch.look()
            let over = DispatchSemaphore(value: 0)
            async let mutes: Void = hold(8, requests: 32, at: endpoint, until: over)
            defer { over.signal() }
            #expect(await eventually { publisher.status.counters[.snapshotsServed] >= 1 + 8 * 32 })
            for _ in 0..<3 {
                let copy = try await client.copy()
                #expect(copy.count(of: "Page") == UnreadAnswerTests.modelCount)
                watch.look()
            }
            over.signal()
            try await mutes
            // Each of the 256 snapshots is 12 MB, and a copy of it here as much.
            print("UnreadAnswerTests: grown by \(watch.grownByteCount >> 20) MiB")
            #expect(watch.grownByteCount < 80 << 20)
        }
    }

    @Test func `so many mute peers that they could fill the bound are cut, and others are served before and after`()
        async throws
    {
        let folder = try TemporaryDirectory()
        try await during(try publisher("ipc://\(folder.path("control"))")) { publisher in
            let endpoint = try await publisher.boundEndpoints.control
            let client = try ControlClient(endpoint: endpoint)
            let over = DispatchSemaphore(value: 0)
            async let mutes: Void = hold(500, requests: 2, at: endpoint, until: over)
            defer { over.signal() }
            #expect(await eventually { publisher.status.counters[.snapshotsServed] >= 500 })
            for _ in 0..<2 {
                let copy = try await client.copy()
                #expect(copy.count(of: "Page") == UnreadAnswerTests.modelCount)
                #expect(await eventually { publisher.status.counters[.cutClients] > 0 })
            }
            over.signal()
            try await mutes
        }
    }
}
