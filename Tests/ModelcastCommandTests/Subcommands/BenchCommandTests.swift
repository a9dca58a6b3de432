import Foundation
import TestSupport
import Testing

/// `modelcast bench` with loads so small that their figures mean nothing.
@Suite(.serialized, .timeLimit(.minutes(15))) struct BenchCommandTests {
    private static let names = [
        "throughput", "latency", "reads", "fields", "recovery", "observer", "join", "warm-start", "push", "relay",
        "models",
    ]

    private func ended(_ arguments: [String], environment: [String: String] = [:]) async throws -> RunningCommand {
        let bench = try RunningCommand(["bench"] + arguments, environment: environment)
        let hasEnded = await eventually(within: .seconds(300)) { !bench.isRunning }
        try #require(hasEnded, "\(bench.error)")
        return bench
    }

    @Test func `the scenarios are listed with a line each, and help has the same lines`() async throws {
        let list = try await ended(["--list"])
        #expect(try await list.exitCode() == 0)
        let lines = list.output.split(separator: "\n")
        for name in BenchCommandTests.names {
            #expect(lines.contains { $0.hasPrefix(name + " ") && $0.count > name.count + 10 }, "\(name)")
        }
        let help = try await ended(["--help"])
        for line in lines { #expect(help.output.contains(line), "\(line)") }
    }

    @Test func `a scenario alone gives a table with its mark, a page, and lines that say where it is`() async throws {
        let folder = try TemporaryDirectory()
        let page = folder.path("page.html")
        let bench = try await ended([
            "--only", "throughput", "--models", "500", "--updates", "20000", "--raw-messages", "20000", "--rounds", "1",
            "--commit", "abc <1>", "--html", page,
        ])
        #expect(try await bench.exitCode() == 0, "\(bench.error)")
        #expect(bench.output.contains("commit abc <1>, "))
        #expect(bench.output.contains("modelcast bench --only throughput --models 500 "))
        #expect(bench.output.contains("--commit 'abc <1>'"))
        #expect(
            bench.output.contains(
                #/updates applied, 64 a call +[0-9,]+/s +[0-9,]+/s  raw libzmq .*≥ 1.00 (reached|missed)/#))
        #expect(bench.output.contains(/All digests equal, \d+ comparisons: the run counts\./))
        // Standard error is no terminal here.
        #expect(bench.error.contains("bench: throughput: 64 a call · round 1 of 1\n"))
        #expect(!bench.error.contains("\u{1B}"))
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(html.contains("abc &lt;1&gt;"))
        #expect(html.contains("<polyline"))
        #expect(html.hasSuffix("</html>\n"))
    }

    @Test func `leased models are all there at the end, beside as many without leases`() async throws {
        let bench = try await ended([
            "--json", "--only", "leases", "--lease-models", "300", "--lease-publishers", "3", "--lease-seconds", "0.5",
        ])
        #expect(try await bench.exitCode() == 0, "\(bench.error)")
        let object = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any]
        let part = try #require((object?["parts"] as? [[String: Any]])?.first)
        let figures = try #require(part["figures"] as? [[String: Any]])
        #expect(figures.count == 3 && figures.prefix(2).allSatisfy { $0["baseline"] != nil })
    }

    @Test func `limits and fetches are measured beside copies without limits, with equal digests`() async throws {
        let bench = try await ended([
            "--json", "--only", "limits", "fetch", "--limit-models", "300", "--large-models", "3000", "--rounds", "1",
        ])
        #expect(try await bench.exitCode() == 0, "\(bench.error)")
        let object = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any]
        let parts = try #require(object?["parts"] as? [[String: Any]])
        let figures = Dictionary(
            uniqueKeysWithValues: parts.map {
                (
                    $0["scenario"] as? String ?? "",
                    ($0["figures"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
                )
            })
        #expect(figures["limits"]??.first == "an update where a limit evicts nothing")
        #expect(figures["fetch"]??.contains("fetches a second of 64 tasks") ?? false)
    }

    @Test func `latency is measured at each of the rates, beside raw libzmq at the same`() async throws {
        let bench = try await ended([
            "--json", "--only", "latency", "--models", "500", "--latency-rate", "500", "2000", "--latency-seconds",
            "0.3", "--rounds", "1",
        ])
        #expect(try await bench.exitCode() == 0, "\(bench.error)")
        let object = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any]
        let part = try #require((object?["parts"] as? [[String: Any]])?.first)
        let figures = try #require(part["figures"] as? [[String: Any]])
        for rate in ["500", "2,000"] {
            let name = "at \(rate)/s, p50, from the call"
            let figure = try #require(figures.first { $0["name"] as? String == name })
            let baseline = try #require(figure["baseline"] as? [String: Any])
            #expect(baseline["name"] as? String == "raw libzmq")
            #expect(try #require(figure["value"] as? Double) > 0)
            #expect(try #require(baseline["value"] as? Double) > 0)
        }
        let curves = try #require(part["curves"] as? [[String: Any]])
        #expect(curves.count { $0["kind"] as? String == "latency" } == 8)
        #expect(curves.count { $0["kind"] as? String == "memory" } == 2)
    }

    @Test
    func `at the rate of the marks latency is measured once more with a core for each process, or a note says why not`()
        async throws
    {
        let bench = try await ended([
            "--json", "--only", "latency", "--models", "500", "--latency-rate", "10000", "--latency-seconds", "0.1",
            "--rounds", "1",
        ])
        #expect(try await bench.exitCode() == 0, "\(bench.error)")
        let object = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any]
        let part = try #require((object?["parts"] as? [[String: Any]])?.first)
        let figures = try #require(part["figures"] as? [[String: Any]])
        let marked = figures.filter { $0["mark"] != nil }.compactMap { $0["name"] as? String }
        let isBound = try #require(part["notes"] as? [String]).isEmpty
        let settings = (isBound ? ["", ", a core each"] : [""]).flatMap { [$0, $0 + ", without a queue"] }
        let names = settings.flatMap { setting in
            ["p50", "p99"].map { "at 10,000/s\(setting), \($0), from the call" }
        }
        #expect(marked == names)
        #expect(part["equalCopies"] as? Int == settings.count)
    }

    @Test func `the commit comes from the environment where no option gives it`() async throws {
        let told = try await ended(["--only", "fields"], environment: ["MODELCAST_COMMIT": "fedcba + changes"])
        #expect(told.output.contains("commit fedcba + changes, "), "\(told.error)")
        let unknown = try await ended(["--only", "fields"], environment: ["MODELCAST_COMMIT": ""])
        #expect(unknown.output.contains("commit unknown, "), "\(unknown.error)")
    }
}
