import Testing

@testable import ModelcastBench

@Suite struct LatencyHistogramTests {
    @Test func `a recording of several histograms has the percentiles of all their values`() {
        let (first, second, all) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for value in 1...1_000 {
            (value.isMultiple(of: 3) ? first : second).record(UInt64(value) * 1_000)
            all.record(UInt64(value) * 1_000)
        }
        let sum = LatencyHistogram()
        for part in [first, second] { sum.add(part.recording) }
        #expect(sum.summary == all.summary)
        #expect(sum.percentileCurve == all.percentileCurve)
        #expect(sum.summary.count == 1_000)
    }

    @Test func `a percentile curve rises from the least to the greatest, up to 99.999`() throws {
        let histogram = LatencyHistogram()
        for value in 1...1_000 { histogram.record(UInt64(value) * 1_000) }
        let curve = histogram.percentileCurve
        #expect(curve.first?.x == 0)
        #expect(abs(try #require(curve.last).x - 99.999) < 1e-6)
        #expect(zip(curve, curve.dropFirst()).allSatisfy { $0.x < $1.x && $0.y <= $1.y })
        let median = try #require(curve.last { $0.x <= 50.2 })
        #expect(abs(median.y - 500) < 10)
        #expect(LatencyHistogram().percentileCurve.isEmpty)
    }

    @Test func `rates lie between samples, and samples that come together count as one`() {
        let samples = [(60, 600), (61, 610), (200, 2_000), (900, 9_000)].map {
            BenchReply.Sample(nanoseconds: UInt64(1_000 + $0.0) * 1_000_000, count: UInt64($0.1))
        }
        let rates = samples.rates(from: 1_000_000_000, to: 1_500_000_000)
        #expect(rates.map { ($0.y).rounded() } == [10_000, 10_000])
        #expect(rates.map { ($0.x * 1000).rounded() } == [30, 130])
        #expect([BenchReply.Sample]().rates(from: 0, to: 1).isEmpty)
    }
}
