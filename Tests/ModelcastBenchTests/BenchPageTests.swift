import Foundation
import Testing

@testable import ModelcastBench

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct BenchPageTests {
    /// What a parser of XML finds in the page: whatever is not well-formed ends it.
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [(name: String, attributes: [String: String])] = []
        var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) { elements.append((name, attributes)) }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    }

    private func read(_ report: BenchReport) throws -> Reader {
        let reader = Reader()
        let parser = XMLParser(data: Data(BenchPage(report).html.utf8))
        parser.delegate = reader
        let isWellFormed = parser.parse()
        try #require(isWellFormed, "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        return reader
    }

    @Test func `the page is well-formed, whatever stands in names`() throws {
        let reader = try read(SampleReport.make())
        #expect(!reader.elements.contains { $0.name == "b" || $0.name == "fast" })
        for text in [
            "a name with <b> & \u{FFFD}", "A <fast> \"one\" & more", "modelcast bench --only 'a & b'",
            "A note with a < in it.", "<publisher>", "0123abc + changes", "2023-11-14T22:13:20Z",
            "Marks reached: 2 of 3", "All digests equal, 9 comparisons: the run counts.",
        ] { #expect(reader.text.contains(text), "\(text)") }
    }

    @Test func `the page needs no script and no other file`() throws {
        let report = SampleReport.make()
        let reader = try read(report)
        #expect(!reader.elements.contains { ["script", "link", "img", "iframe", "object"].contains($0.name) })
        for (name, attributes) in reader.elements {
            #expect(attributes["href"] == nil && attributes["src"] == nil, "\(name)")
        }
        let html = BenchPage(report).html
        #expect(!html.contains("url(") && !html.contains("@import"))
        // The name of a namespace is not fetched.
        #expect(html.replacing("http://www.w3.org/1999/xhtml", with: "").contains(/https?:/) == false)
        #expect(html.contains("prefers-color-scheme: dark"))
    }

    @Test func `each figure is a row, each mark a card, each title a picture`() throws {
        let reader = try read(SampleReport.make())
        let classes = reader.elements.compactMap { $0.attributes["class"] }
        #expect(reader.elements.count { $0.name == "td" && $0.attributes["data-label"] == "Modelcast" } == 4)
        // Once in a card, once in a row.
        #expect(classes.count { $0 == "badge good" } == 4)
        #expect(classes.count { $0 == "badge bad" } == 2)
        #expect(reader.elements.count { $0.name == "figure" } == 4)
        #expect(reader.elements.count { $0.name == "polyline" } == 4)
    }

    @Test func `curves share a picture by kind and title, and one without points is left out`() throws {
        let charts = BenchPage.charts(of: SampleReport.make().parts[0])
        #expect(charts.map(\.title) == ["Throughput over time", "Memory over time"])
        #expect(charts.map(\.curves.count) == [2, 1])
        #expect(charts[0].styles.map(\.color) == [0, 0])
        #expect(charts[0].styles.map(\.dash) == [0, 1])
        // A single point is a dot.
        #expect(charts[1].svg.contains("dot c0"))
    }

    @Test func `percentiles stand so that each step leaves a tenth`() {
        let scale = ChartScale(.percentile, [0, 99.999]) { LineChart.percentile($0) }
        #expect(scale.ticks.map(\.label) == ["0", "90", "99", "99.9", "99.99", "99.999"])
        for (value, place) in [(0.0, 0.0), (90, 0.2), (99, 0.4), (99.999, 1)] {
            #expect(abs(scale.place(of: value) - place) < 1e-6)
        }
    }

    @Test func `scales begin and end at round values that hold everything`() {
        let linear = ChartScale(.linear, [3, 185]) { LineChart.plain($0) }
        #expect(linear.ticks.map(\.value) == [0, 50, 100, 150, 200])
        #expect(linear.place(of: 100) == 0.5)
        let logarithmic = ChartScale(.logarithmic, [12, 4_500]) { LineChart.microseconds($0) }
        #expect(logarithmic.ticks.map(\.label) == ["10 µs", "100 µs", "1 ms", "10 ms"])
        #expect(logarithmic.place(of: 0) == 0)
        // Nothing measured, or all the same.
        for kind in [ChartScale.Kind.linear, .logarithmic, .percentile] {
            for values in [[], [0.0], [0, 0]] {
                let scale = ChartScale(kind, values) { LineChart.plain($0) }
                #expect(scale.ticks.count > 1)
                #expect((0...1).contains(scale.place(of: 0)))
            }
        }
    }
}
