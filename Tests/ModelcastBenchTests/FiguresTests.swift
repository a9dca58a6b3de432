import Testing

@testable import ModelcastBench

@Suite struct FiguresTests {
    @Test func `numbers are grouped by thousands`() {
        #expect(Figures.grouped(0) == "0")
        #expect(Figures.grouped(999) == "999")
        #expect(Figures.grouped(1_000) == "1,000")
        #expect(Figures.grouped(-1_234_567) == "-1,234,567")
        #expect(Figures.grouped(1_499.6) == "1,500")
    }

    @Test func `digits behind the point are rounded and padded`() {
        #expect(Figures.fixed(0.05, 2) == "0.05")
        #expect(Figures.fixed(1.999, 2) == "2.00")
        #expect(Figures.fixed(-0.5, 1) == "-0.5")
        #expect(Figures.fixed(12_345.678, 0) == "12,346")
    }

    @Test func `columns of a table are as wide as they need to be`() {
        var table = TextTable(["name", "count"])
        table.add(["a", "1,000"])
        table.add(["long name"])
        #expect(table.lines == ["name       count", "a          1,000", "long name"])
    }

    @Test func `a digest is always sixteen digits`() {
        #expect(Digests.text(0) == "0000000000000000")
        #expect(Digests.text(.max) == "ffffffffffffffff")
        #expect(Digests.text(0xABC) == "0000000000000abc")
    }

    @Test func `the median of an even number is the lower of the two in the middle`() {
        #expect([3.0, 1.0, 2.0].median == 2.0)
        #expect([4.0, 1.0, 2.0, 3.0].median == 2.0)
        #expect([Double]().median == nil)
    }
}
