import Foundation
import TestSupport
import Testing

/// Slow consumers as processes of their own: `modelcast bench` stops one or lets its observer sleep, and tells what it
/// cost. It fails by itself when the copies are not equal in the end.
@Suite(.serialized, .timeLimit(.minutes(15))) struct SlowConsumerTests {
    /// The values of all figures, by their names.
    private func figures(_ arguments: [String]) async throws -> [String: Double] {
        let bench = try RunningCommand(["bench", "--json", "--rounds", "1"] + arguments)
        let code = try await bench.exitCode(within: .seconds(300))
        try #require(code == 0, "\(bench.error)")
        let object = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any]
        let parts = try #require(object?["parts"] as? [[String: Any]], "\(bench.output)")
        #expect(try #require(parts.first?["equalCopies"] as? Int) > 0)
        let figures = parts.flatMap { $0["figures"] as? [[String: Any]] ?? [] }
        return try figures.reduce(into: [:]) { values, figure in
            values[try #require(figure["name"] as? String)] = try #require(figure["value"] as? Double)
        }
    }

    @Test func `a stopped subscriber costs the publisher bounded memory and the other subscriber nothing`() async throws
    {
        // Some 25 MB a second, so that three seconds are far more than all that may be kept.
        let recovery = try await figures(
            [
                "--only", "recovery", "--models", "1000", "--stop-seconds", "3", "--stop-rate", "6000",
                "--stop-text-bytes", "2000", "--stop-queue-mebibytes", "16",
            ])
        let grown = try #require(recovery["the publisher's memory grew by"])
        // 16 MiB may wait.
        #expect(try #require(recovery["on the wire meanwhile"]) > 60)
        #expect(grown < 16 + 16)
        #expect(recovery["outbox full during the stop"] == 0)
        #expect(recovery["holes of the other subscriber"] == 0)
        // That it was equal again is what the exit code says; here, that there was something to mend.
        let mended = ["holes_found", "snapshots_requested", "replays_requested"].compactMap {
            recovery["the stopped one counted \($0)"]
        }
        #expect(mended.contains { $0 > 0 }, "\(recovery)")
    }

    @Test func `an observer that sleeps costs its process bounded memory`() async throws {
        let observer = try await figures([
            "--only", "observer", "--observed-models", "2000", "--observed-updates", "400000",
        ])
        let changes = try #require(observer["changes that waited for it"])
        #expect(try #require(observer["updates applied while an observer slept"]) > 300_000)
        // The documented bound, max(4096, 2 × models), and one more commit of at most 4,096 changes.
        #expect(changes <= 4_096 + 4_096)
        #expect(try #require(observer["of the changes, folded"]) > 0)
        // Unfolded, what waits would take some 200 MiB. On a machine that is busy what the socket holds comes on top: 5
        // MiB were seen on a quiet one, and more than 64 beside four others.
        let grown = try #require(observer["the process's memory grew by"])
        #expect(grown < 128)
    }
}
