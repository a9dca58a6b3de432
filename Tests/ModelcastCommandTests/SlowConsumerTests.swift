import Foundation
import TestSupport
import Testing

/// Slow consumers as processes of their own: `modelcast bench` stops one or lets its observer sleep, and tells what it
/// cost. It fails by itself when the copies are not equal in the end.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SlowConsumerTests {
    private static let mebibyte = 1 << 20

    private func figures(_ arguments: [String], part: String) async throws -> [String: Any] {
        let bench = try RunningCommand(["bench", "--json", "--rounds", "1"] + arguments)
        let hasEnded = await eventually(within: .seconds(90)) { bench.output.hasSuffix("}\n") }
        try #require(hasEnded, "\(bench.error)")
        #expect(try await bench.exitCode() == 0)
        let object = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any]
        return try #require(object?[part] as? [String: Any], "\(bench.output)")
    }

    @Test func `a stopped subscriber costs the publisher bounded memory and the other subscriber nothing`() async throws
    {
        // Some 25 MB a second, so that three seconds are far more than all that may be kept.
        let recovery = try await figures(
            [
                "--only", "recovery", "--models", "1000", "--stop-seconds", "3", "--stop-rate", "6000",
                "--stop-text-bytes", "2000", "--stop-queue-mebibytes", "16",
            ], part: "recovery")
        let grown = try #require(recovery["publisherGrownByteCount"] as? Int)
        let sent = try #require(recovery["sentByteCount"] as? Int)
        let bound = try #require(recovery["queueByteCount"] as? Int)
        #expect(bound == 16 * SlowConsumerTests.mebibyte)
        #expect(sent > 60 * SlowConsumerTests.mebibyte)
        #expect(grown < bound + 16 * SlowConsumerTests.mebibyte)
        #expect(recovery["backPressured"] as? Int == 0)
        #expect(recovery["otherHoles"] as? Int == 0)
        // That it was equal again is what the exit code says; here, that there was something to mend.
        let counters = try #require(recovery["counters"] as? [String: Int])
        let mended = ["holes_found", "snapshots_requested", "replays_requested"].compactMap { counters[$0] }
        #expect(mended.contains { $0 > 0 }, "\(counters)")
    }

    @Test func `an observer that sleeps costs its process bounded memory`() async throws {
        let observer = try await figures(
            ["--only", "observer", "--observed-models", "2000", "--observed-updates", "400000"],
            part: "sleepingObserver")
        let changes = try #require(observer["changes"] as? Int)
        let updates = try #require(observer["updates"] as? Int)
        #expect(updates > 300_000)
        // The documented bound, max(4096, 2 × models), and one more commit of at most 4,096 changes.
        #expect(changes <= 4_096 + 4_096)
        #expect(try #require(observer["folded"] as? Int) > 0)
        // Unfolded, what waits would take some 200 MiB.
        #expect(try #require(observer["grownByteCount"] as? Int) < 64 * SlowConsumerTests.mebibyte)
    }
}
