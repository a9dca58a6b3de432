import Foundation
import Testing

@testable import ModelcastBench

@Suite struct BenchReportTests {
    @Test func `a report reads back from its JSON as it was`() throws {
        let report = SampleReport.make()
        let json = try report.json()
        #expect(try BenchReport(json: json) == report)
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["start"] as? String == "2023-11-14T22:13:20Z")
        let parts = try #require(object?["parts"] as? [[String: Any]])
        let figure = try #require((parts[0]["figures"] as? [[String: Any]])?.first)
        #expect(figure["mark"] as? [String: Double] == ["atLeast": 1])
        #expect((figure["baseline"] as? [String: Any])?["ratio"] as? Double == 0.5)
    }

    @Test func `rounds give medians, and the median and the range of their ratios`() throws {
        let figure = try #require(SampleReport.make().parts[0].figures.first)
        let baseline = try #require(figure.baseline)
        #expect(figure.value == 500_000)
        #expect(baseline.value == 1_000_000)
        #expect(baseline.ratio == 0.5)
        #expect(baseline.range == 0.4...0.6)
        #expect(figure.ratioText == "0.50 (0.40–0.60)")
    }

    @Test func `a mark is a bound of the ratio, or of the value where there is no baseline`() {
        let figure = { (mark: BenchFigure.Mark) in BenchFigure("a", 30, .count, against: "b", 20, mark: mark) }
        #expect(figure(.atLeast(1.5)).isReached == true)
        #expect(figure(.atLeast(1.51)).isReached == false)
        #expect(figure(.atMost(1.5)).isReached == true)
        #expect(figure(.atMost(1.49)).isReached == false)
        #expect(BenchFigure("a", 30, .bytes, mark: .atMost(30)).isReached == true)
        #expect(BenchFigure("a", 31, .bytes, mark: .atMost(30)).isReached == false)
        #expect(BenchFigure("a", 31, .bytes).isReached == nil)
        #expect(figure(.atLeast(2)).markText == "≥ 2.00 missed")
        #expect(BenchFigure("a", 30, .bytes, mark: .atMost(64)).markText == "≤ 64 B reached")
    }

    @Test func `values are written with their units, small ones with a digit more`() {
        let texts: [(BenchFigure.Unit, Double, String)] = [
            (.perSecond, 1_234_567.8, "1,234,568/s"), (.nanoseconds, 68.49, "68.5 ns"), (.nanoseconds, 775.2, "775 ns"),
            (.microseconds, 22.14, "22.1 µs"), (.microseconds, 1_234.5, "1,235 µs"), (.seconds, 1.234, "1.23 s"),
            (.seconds, 0.0433, "43.3 ms"), (.seconds, 0.000_001, "0.001 ms"), (.seconds, 0, "0.00 s"),
            (.bytes, 457, "457 B"), (.mebibytes, 16, "16.0 MiB"), (.count, 0, "0"), (.count, 1.5, "1.5"),
        ]
        for (unit, value, text) in texts { #expect(unit.text(value) == text) }
    }

    @Test func `the table has machine, commit, command, configuration, each figure with its mark, and the verdict`() {
        let lines = BenchTable(SampleReport.make()).lines
        #expect(lines[0].hasPrefix("A <fast> \"one\" & more, 2 cores, Linux 6.1, Swift 6.3, libzmq 4.3.4"))
        #expect(lines[1] == "commit 0123abc + changes, 2023-11-14T22:13:20Z, 61 s")
        #expect(lines[2] == "modelcast bench --only 'a & b'")
        #expect(lines[3].hasPrefix("configuration: scenarios throughput latency "))
        let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(words.contains("updates applied 500,000/s 1,000,000/s raw libzmq 0.50 (0.40–0.60) ≥ 1.00 missed"))
        #expect(words.contains("p50 13.0 µs 10.0 µs raw libzmq 1.30 ≤ 1.30 reached"))
        #expect(words.contains("A note with a < in it."))
        #expect(words.contains("Marks reached: 2 of 3."))
        #expect(words.contains("All digests equal, 9 comparisons: the run counts."))
    }

    @Test func `where digests differ no figure is shown`() {
        var report = SampleReport.make()
        report.differences = ["after the reads a had 1, b 2"]
        let lines = BenchTable(report).lines
        #expect(!lines.contains { $0.contains("updates applied") })
        #expect(lines.last == "DIGESTS DIFFER, no figure of this run counts: after the reads a had 1, b 2")
        let html = BenchPage(report).html
        #expect(html.contains("DIGESTS DIFFER"))
        #expect(!html.contains("updates applied"))
        #expect(!html.contains("<figure>"))
    }

    @Test func `where nothing was copied the verdict does not claim that digests were equal`() {
        var report = SampleReport.make()
        report.parts = [BenchPart(.models)]
        #expect(report.verdict == "Nothing was copied between processes; there were no digests to compare.")
        #expect(report.marks == nil)
    }

    @Test func `every setting of the configuration is told`() {
        let settings = BenchPlan().settings
        let (plan, sizes) = (Mirror(reflecting: BenchPlan()), Mirror(reflecting: ScenarioSizes()))
        #expect(settings.count == plan.children.count - 1 + sizes.children.count)
        let values = Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0.value) })
        #expect(values["stop queue mebibytes"] == "16")
        #expect(values["latency rates"] == "1,000 10,000 100,000")
        #expect(values["models"] == "100,000")
    }

    @Test func `long lines of the head are wrapped, and no word is lost`() {
        let text = (0..<60).map { "word\($0)" }.joined(separator: " ")
        let lines = BenchTable.wrapped(text, columns: 40)
        #expect(lines.allSatisfy { $0.count <= 40 })
        #expect(lines.count > 5)
        #expect(lines.flatMap { $0.split(separator: " ") }.joined(separator: " ") == text)
    }
}
