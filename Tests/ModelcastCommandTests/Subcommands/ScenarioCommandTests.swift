import Foundation
import TestSupport
import Testing

/// Scenarios of `modelcast bench` that have processes of their own, with few of them.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ScenarioCommandTests {
    private struct Report: Decodable {
        struct Part: Decodable {
            var scenario: String
            var figures: [Figure]
            var details: [Figure]
            var equalCopies: Int
        }

        struct Figure: Decodable {
            var name: String
            var value: Double
            var baseline: Baseline?
        }

        struct Baseline: Decodable {
            var value: Double
        }

        var parts: [Part]
    }

    private func part(_ scenario: String, _ arguments: [String]) async throws -> Report.Part {
        let bench = try RunningCommand(["bench", "--json", "--turns", "1", "--only", scenario] + arguments)
        let code = try await bench.exitCode(within: .seconds(300))
        try #require(code == 0, "\(bench.error)")
        let report = try JSONDecoder().decode(Report.self, from: Data(bench.output.utf8))
        try #require(report.parts.map(\.scenario) == [scenario])
        return report.parts[0]
    }

    @Test func `fan-out has two figures for each number of subscribers, beside raw libzmq with the same frames`()
        async throws
    {
        let part = try await part(
            "fanout", ["--subscribers", "1", "3", "--fanout-rate", "2000", "--fanout-seconds", "0.5"])
        let endings = ["1 subscriber", "1 subscriber, both at once", "3 subscribers", "3 subscribers, both at once"]
        try #require(part.figures.count == endings.count)
        #expect(zip(part.figures, endings).allSatisfy { $0.name.hasSuffix(", \($1)") }, "\(part.figures)")
        #expect(part.figures.allSatisfy { $0.value > 0 && ($0.baseline?.value ?? 0) > 0 })
        // One with one subscriber, three with three, and each twice.
        #expect(part.equalCopies == 8)
        let frames = part.details.filter { $0.name.hasPrefix("frames of a turn") }
        #expect(frames.count == 4 && frames.allSatisfy { $0.value > 10 }, "\(part.details)")
    }

    @Test func `the mixed load is applied, read, observed and seen in snapshots`() async throws {
        let part = try await part(
            "mixed", ["--mixed-models", "400", "--mixed-rate", "2000", "--mixed-seconds", "1"])
        let values = Dictionary(uniqueKeysWithValues: (part.figures + part.details).map { ($0.name, $0.value) })
        // Before and after the load.
        #expect(part.equalCopies == 2)
        let writes = ["merges", "replaces", "deletes", "transactions"].compactMap { values[$0] }
        #expect(writes.count == 4 && writes.reduce(0, +) == 2_000 && writes.allSatisfy { $0 > 0 })
        for name in [
            "updates applied a second", "reads a second, 4 queues", "snapshots a second",
            "pairs of a transaction compared in snapshots", "changes told to who observes everything",
            "changes told to who observes a type", "changes told to who observes a model",
            "p50, publish to observer of everything", "p99, publish to observer of everything",
        ] {
            #expect((values[name] ?? 0) > 0, "\(name)")
        }
    }

    @Test(arguments: [
        ["--turns", "0"], ["--subscribers", "1000"], ["--fanout-rate", "1"], ["--read-models", "0"],
        ["--mixed-seconds", "0"], ["--memory-models", "10"],
    ]) func `sizes that make no sense are refused`(_ arguments: [String]) async throws {
        let bench = try RunningCommand(["bench", "--json", "--only", "mixed"] + arguments)
        #expect(try await bench.exitCode() == 64)
        #expect(bench.error.contains("--help") || bench.error.contains("must") || bench.error.contains("1000"))
    }
}
