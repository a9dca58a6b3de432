import ModelRecord
import TestSupport
import Testing

/// Text of peers, as people are shown it.
@Suite struct ShownTextTests {
    @Test(arguments: [
        ("accounts-1", "accounts-1"), ("", ""), ("Zoë 😀 — “x”", "Zoë 😀 — “x”"), ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u{1B}[31mred\u{7}", "\\u{1B}[31mred\\u{7}"), ("\u{9B}2J\u{7F}", "\\u{9B}2J\\u{7F}"),
        ("a\u{202E}b\u{2066}\u{2028}\u{2029}", "a\\u{202E}b\\u{2066}\\u{2028}\\u{2029}"),
        ("\u{FEFF}x\u{E0041}", "\\u{FEFF}x\\u{E0041}"), ("\r\n", "\\r\\n"),
    ])
    func `what commands a terminal or ends a line is written out`(_ text: String, _ expected: String) {
        #expect(text.shown() == expected)
    }

    @Test func `whatever a text holds, it is shown on one line within its bound, and the same again`() {
        forEachSeed(20_000) { _, generator in
            var text = ""
            for _ in 0..<Int.random(in: 0..<60, using: &generator) {
                let ranges: [ClosedRange<UInt32>] = [0...0xA0, 0x2000...0x2070, 0xFFF0...0xFFFE, 0...0x10FFFF]
                let range = ranges.randomElement(using: &generator) ?? 0...0
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) {
                    text.unicodeScalars.append(scalar)
                }
            }
            let bound = Int.random(in: 16..<200, using: &generator)
            let shown = text.shown(byteCountMax: bound)
            guard shown.utf8.count <= bound, !shown.unicodeScalars.contains(where: \.isHidden),
                shown.shown(byteCountMax: bound) == shown
            else { throw CaseFailure("\(text.debugDescription) is shown as \(shown.debugDescription)") }
        }
    }

    @Test func `a text that is too long is cut and says so`() {
        let shown = String(repeating: "é", count: 1_000).shown(byteCountMax: 101)
        #expect(shown == String(repeating: "é", count: 49) + "…")
    }
}
