/// The result of a measurement as lines of text.
public struct BenchTable: Sendable {
    /// The lines.
    public let lines: [String]

    public init(_ result: BenchResult) {
        var table = TextTable(["what", "Modelcast", "raw libzmq", "ratio"])
        BenchTable.addThroughput(of: result, to: &table)
        BenchTable.addLatencies(of: result, to: &table)
        BenchTable.addRest(of: result, to: &table)
        lines = [result.machine.line, ""] + table.lines + [""] + BenchTable.notes(result)
    }

    private static func addThroughput(of result: BenchResult, to table: inout TextTable) {
        table.add([
            "updates applied a second (raw: messages of 100 bytes)", Figures.grouped(result.updatesPerSecond),
            Figures.grouped(result.rawMessagesPerSecond), Figures.fixed(result.throughputRatio, 2),
        ])
        table.add(["  processor time an update, publisher", nanoseconds(result.publisherNanosecondsPerUpdate)])
        table.add(["  processor time an update, subscriber", nanoseconds(result.subscriberNanosecondsPerUpdate)])
        table.add(["  of it the load's own loop", nanoseconds(result.generatorNanosecondsPerUpdate)])
        table.add(["  bytes on the wire an update, all headers", Figures.fixed(result.wireBytesPerUpdate, 1)])
        table.add(["  updates a batch", Figures.grouped(result.updatesPerBatch)])
    }

    private static func addLatencies(of result: BenchResult, to table: inout TextTable) {
        let rate = Figures.grouped(result.plan.latencyRate)
        let kinds: [(String, LatencySummary?, LatencySummary?)] = [
            ("publish to observer at \(rate) a second", result.latency, result.rawLatency),
            ("  the same from the call, not the intended time", result.latencyFromCall, result.rawLatencyFromCall),
        ]
        for (name, modelcast, raw) in kinds {
            guard let modelcast, let raw else { continue }
            for (percentile, path) in [("p50", \LatencySummary.median), ("p99", \.percentile99)] {
                table.add([
                    "\(name), \(percentile)", "\(Figures.fixed(modelcast[keyPath: path], 1)) µs",
                    "\(Figures.fixed(raw[keyPath: path], 1)) µs",
                    Figures.fixed(modelcast[keyPath: path] / max(0.1, raw[keyPath: path]), 2),
                ])
            }
        }
    }

    private static func addRest(of result: BenchResult, to table: inout TextTable) {
        let raw = result.rawMessagesPerSecond
        for (name, rate) in [
            ("point reads a second, 1 thread, writer running", result.readsPerSecond),
            ("point reads a second, 2 threads, writer running", result.readsPerSecondTwoThreads),
            ("point reads with one field decoded, 1 thread", result.fieldReadsPerSecond),
        ] {
            table.add([name, Figures.grouped(rate), "", raw > 0 ? Figures.fixed(rate / raw, 2) : ""])
        }
        table.add(["  updates applied a second meanwhile", Figures.grouped(result.writerRateDuringReads)])
        let joined = result.joinSeconds > 0 ? Double(result.plan.models) / result.joinSeconds : 0
        table.add([
            "joining with \(Figures.grouped(result.plan.models)) models", "\(Figures.fixed(result.joinSeconds, 3)) s", "",
            raw > 0 ? Figures.fixed(joined / raw, 2) : "",
        ])
        table.add(["bytes a model, resident memory", Figures.grouped(result.residentBytesPerModel)])
        table.add(["bytes a model, encoded record", Figures.grouped(result.encodedBytesPerModel)])
        table.add(["publishing a whole model for the first time", nanoseconds(result.populateNanosecondsPerModel)])
    }

    private static func notes(_ result: BenchResult) -> [String] {
        let plan = result.plan
        let rounds = { (rates: [Double]) in rates.map { Figures.grouped($0) }.joined(separator: ", ") }
        var notes = [
            "\(Figures.grouped(plan.models)) models of ten fields, \(Figures.grouped(plan.updates)) updates of two fields a "
                + "round, two processes, TCP loopback; digests equal after every round.",
            "Rounds, updates a second: \(rounds(result.updateRounds)).",
            "Rounds, raw messages a second: \(rounds(result.rawRounds)).",
            "Holes: \(result.holes). Outbox full: \(Figures.grouped(result.backPressured)) times. "
                + "Folded changes: \(result.foldedChanges).",
        ]
        if let lateness = result.generatorLateness {
            notes.append(
                "The load itself was late by p50 \(Figures.fixed(lateness.median, 1)) µs, "
                    + "p99 \(Figures.fixed(lateness.percentile99, 1)) µs.")
        }
        notes.append("Ratios of reads and of joining are to raw messages a second. Compare figures of one run only.")
        return notes
    }

    private static func nanoseconds(_ value: Double) -> String { "\(Figures.grouped(value)) ns" }
}
