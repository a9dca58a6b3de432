import Synchronization
import Testing

@testable import ModelcastBench

@Suite struct ProgressLineTests {
    private static let progress = BenchProgress(.latency, 2, of: 11, "10,000/s · round 1 of 3")

    /// What was written to the terminal.
    private final class Screen: Sendable {
        private let content = Mutex("")
        var text: String { content.withLock { $0 } }
        func add(_ text: String) { content.withLock { $0 += text } }
    }

    @Test func `the line has the place among all, the scenario, what it does, and the time`() {
        let text = { (seconds: Int) in ProgressLine.text(ProgressLineTests.progress, seconds: seconds, columns: 79) }
        #expect(text(23) == "[2/11] latency · 10,000/s · round 1 of 3 · 0:23")
        #expect(text(605) == "[2/11] latency · 10,000/s · round 1 of 3 · 10:05")
    }

    @Test(arguments: 0...50) func `the line is never longer than the terminal is wide`(_ columns: Int) {
        let text = ProgressLine.text(ProgressLineTests.progress, seconds: 23, columns: columns)
        #expect(text.count <= columns)
        // The time is what is kept longest.
        if columns >= 10 { #expect(text.hasSuffix(" · 0:23")) }
    }

    @Test func `each line is written over the last, and the end leaves nothing`() {
        let screen = Screen()
        let line = ProgressLine(now: { 5_000_000_000 }, columns: { 80 }, write: { screen.add($0) })
        line.show(ProgressLineTests.progress)
        line.show(BenchProgress(.reads, 3, of: 11, "alone"))
        line.erase()
        let written = screen.text
        #expect(!written.contains("\n"))
        #expect(written.contains("\r[2/11] latency · 10,000/s · round 1 of 3 · 0:00\u{1B}[K"))
        #expect(written.contains("\r[3/11] reads · alone · 0:00\u{1B}[K"))
        #expect(written.hasSuffix("\r\u{1B}[K"))
        line.erase()
        #expect(screen.text == written)
    }
}
