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

    /// - Parameter answersByteCount: the bound of what is held for peers; they can hold half of it for long.
    private func publisher(_ control: String, answersByteCount: Int = 8 << 20) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "publisher", endpoints: try SenderEndpoints(control: control))
        configuration.answersByteCount = answersByteCount
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

    @Test(.enabled(if: RiddledMemory.isKept, "sanitizers, which come with debug builds, have other allocators"))
    func `memory is given back to the system when peers that held much of it have gone`() async throws {
        let folder = try TemporaryDirectory()
        let control = "ipc://\(folder.path("control"))"
        try await during(try publisher(control, answersByteCount: 40 << 20)) { publisher in
            let endpoint = try await publisher.boundEndpoints.control
            let before = try #require(ResidentMemory.byteCount)
            let riddled = RiddledMemory()
            let riddledByteCount = try #require(ResidentMemory.byteCount) - before
            try #require(riddledByteCount > 128 << 20, "the allocator has given it back by itself")
            let over = DispatchSemaphore(value: 0)
            async let mutes: Void = hold(100, requests: 4, at: endpoint, until: over)
            defer { over.signal() }
            // More than half of the bound is held, enough for a walk through all memory when it has gone.
            #expect(await eventually { publisher.status.counters[.cutClients] > 0 })
            over.signal()
            try await mutes
            let limit = before + RiddledMemory.usedByteCount + 40 << 20
            let isGivenBack = await eventually { ResidentMemory.byteCount ?? 0 < limit }
            let grownByteCount = (ResidentMemory.byteCount ?? 0) - before
            #expect(isGivenBack, "grown by \(grownByteCount >> 20) MiB, by \(riddledByteCount >> 20) before")
            withExtendedLifetime(riddled) {}
        }
    }

    @Test func `the answers of a publisher, and of a relay, may take 64 MiB unless it is set`() throws {
        let endpoints = try SenderEndpoints(control: "tcp://127.0.0.1:*")
        let publisher = PublisherConfiguration(name: "p", endpoints: endpoints)
        let relay = RelayConfiguration(name: "r", endpoints: endpoints, publishers: [])
        #expect(publisher.answersByteCount == 64 << 20)
        #expect(relay.answersByteCount == 64 << 20)
    }
}

/// Free memory between blocks that are in use: the allocator keeps it until all that is free is given back.
private struct RiddledMemory {
    private let used: [[UInt8]]

    /// Small enough for glibc to take them from its heap, and many pages each.
    private static let blockByteCount = 64 << 10
    private static let blockCount = 4096
    /// One block in so many stays in use, the last among them.
    private static let period = 16
    static let usedByteCount = blockCount / period * blockByteCount

    static let isKept: Bool = {
        #if DEBUG
            return false
        #else
            return ResidentMemory.byteCount != nil
        #endif
    }()

    init() {
        let blocks = (1...RiddledMemory.blockCount).map { number in
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: RiddledMemory.blockByteCount)
        }
        used = blocks.indices.filter { ($0 + 1) % RiddledMemory.period == 0 }.map { blocks[$0] }
    }
}
