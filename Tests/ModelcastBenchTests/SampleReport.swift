import Foundation

@testable import ModelcastBench

/// A report with a figure of every kind, names that need escaping, and curves.
enum SampleReport {
    static func make() -> BenchReport {
        let machine = MachineFacts(
            processor: "A <fast> \"one\" & more", cores: 2, kernel: "6.1", swift: "6.3", libzmq: "4.3.4",
            isOptimized: true)
        var report = BenchReport(
            machine: machine, commit: "0123abc + changes", command: "modelcast bench --only 'a & b'",
            start: Date(timeIntervalSince1970: 1_700_000_000), seconds: 61, plan: BenchPlan())
        report.parts = [throughput, latency]
        return report
    }

    private static var throughput: BenchPart {
        var part = BenchPart(.throughput)
        var rounds = BenchRounds()
        rounds.add(baseline: 1_000_000)
        for rate in [500_000.0, 600_000, 400_000] {
            rounds.add(rate, around: 1_000_000)
            rounds.add(baseline: 1_000_000)
        }
        part.figures = [
            BenchFigure("updates applied", .perSecond, rounds, against: "raw libzmq", mark: .atLeast(1)),
            BenchFigure("a name with <b> & \u{1}", 12.5, .bytes, mark: .atMost(64)),
            BenchFigure("holes", 0, .count),
        ]
        part.curves = [
            BenchCurve("Modelcast, 64 a call", .throughput, [.init(0, 0), .init(1, 500_000)]),
            BenchCurve("Modelcast, one call each", .throughput, [.init(0, 0), .init(1, 400_000)]),
            BenchCurve("<publisher>", .memory, [.init(0.5, 120)]), BenchCurve("nothing", .memory, []),
        ]
        part.notes = ["A note with a < in it."]
        part.equalCopies = 6
        return part
    }

    private static var latency: BenchPart {
        var part = BenchPart(.latency)
        part.figures = [BenchFigure("p50", 13, .microseconds, against: "raw libzmq", 10, mark: .atMost(1.3))]
        part.curves = [
            BenchCurve("Modelcast", .latency, in: "Latency at 10", [.init(0, 8), .init(50, 13), .init(99.999, 900)]),
            BenchCurve("Modelcast", .latency, in: "Latency at 20", [.init(0, 9), .init(99, 20)]),
        ]
        part.equalCopies = 3
        return part
    }
}
