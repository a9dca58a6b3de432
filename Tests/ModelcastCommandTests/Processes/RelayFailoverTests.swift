import Foundation
import Modelcast
import TestSupport
import Testing

/// Two relays side by side, as processes, and one of them killed.
@Suite(.timeLimit(.minutes(15))) struct RelayFailoverTests {
    private static let lineCount = 20_000

    @Test func `one of two relays is killed in the middle of a stream: nothing is lost and nothing waits for a repair`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        let source = try await publisher.endpoint()
        let relays = try ["a", "b"].map { name in
            try RunningCommand([
                "relay", "--name", "relay-\(name)", "--connect", source, "--bind", "ipc://\(folder.path(name))",
            ])
        }
        // They end with the last reference to them.
        defer { withExtendedLifetime((publisher, relays)) {} }
        var endpoints: [String] = []
        for relay in relays { endpoints.append(try await relay.endpoint()) }
        let (input, killed) = (try #require(publisher.input), relays[0])
        try await listening(to: endpoints) { subscriber in
            try write(0..<1, to: input)
            let isTold = await eventually { subscriber["T", "0"] != nil && subscriber.status.isLive }
            try #require(isTold)
            let before = subscriber.status.counters

            // The pipe holds some 64 KiB, so the publisher is in the middle of its work when the relay goes.
            try write(1..<RelayFailoverTests.lineCount / 2, to: input)
            killed.signal(SIGKILL)
            try write(RelayFailoverTests.lineCount / 2..<RelayFailoverTests.lineCount, to: input)

            #expect(await eventually { subscriber.cache.count(of: "T") == RelayFailoverTests.lineCount })
            let held = try await ControlClient(endpoint: source).digests()
            #expect(await eventually { held.map(\.digests.total) == [subscriber.cache.digest(of: "T")] })
            // Told after the loss of the relay was noticed, so after everything that it could have brought about.
            let isNoticed = await eventually { subscriber.status.senders.first?.state == .stale }
            try #require(isNoticed)
            let after = subscriber.status
            for name in [
                Counters.Name.holesFound, .holesFilled, .replaysRequested, .snapshotsRequested, .digestMismatches,
            ] {
                #expect(after.counters[name] == before[name], "\(name.label): \(after.counters.nonZero)")
            }
            let stream = try #require(after.streams.first)
            #expect(stream.missing == 0)
            #expect(stream.state == .live)
            #expect(stream.holesFound == 0)
            print(
                "one of two relays killed: \(stream.applied) batches applied, "
                    + "\(after.counters[.duplicateBatches]) doubles dropped, 0 holes, 0 repairs")
        }
    }

    private func write(_ ids: Range<Int>, to input: FileHandle) throws {
        for id in ids { try input.write(contentsOf: Data("{\"id\":\"\(id)\",\"n\":\(id)}\n".utf8)) }
    }
}
