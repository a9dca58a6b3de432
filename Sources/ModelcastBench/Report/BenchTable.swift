/// The result of a measurement as lines of text.
public struct BenchTable: Sendable {
    /// The lines.
    public let lines: [String]

    public init(_ result: BenchResult) {
        var table = TextTable(["what", "Modelcast", "raw libzmq", "ratio"])
        if result.plan.measures(.throughput) { BenchTable.addThroughput(of: result, to: &table) }
        if let nanoseconds = result.fieldsNanosecondsPerUpdate {
            table.add(["making the fields of an update", BenchTable.nanoseconds(nanoseconds)])
        }
        BenchTable.addLatencies(of: result, to: &table)
        if result.plan.measures(.reads) { BenchTable.addReads(of: result, to: &table) }
        if result.plan.measures(.throughput, .latency, .reads, .fields) { BenchTable.addModels(of: result, to: &table) }
        BenchTable.addScenarios(of: result, to: &table)
        lines = [result.machine.line, ""] + table.lines + [""] + BenchTable.notes(result)
    }

    private static func addThroughput(of result: BenchResult, to table: inout TextTable) {
        for (name, throughput) in [
            ("one call each", result.single), ("\(result.plan.batch) a call", result.batched),
        ] {
            table.add([
                "updates applied a second, \(name)", Figures.grouped(throughput.updatesPerSecond),
                Figures.grouped(result.rawMessagesPerSecond), Figures.fixed(throughput.ratios.median ?? 0, 2),
            ])
            if let least = throughput.ratios.min(), let most = throughput.ratios.max() {
                table.add(["  range of the ratio", "", "", "\(Figures.fixed(least, 2))–\(Figures.fixed(most, 2))"])
            }
            for (name, modelcast, raw) in [
                ("publisher", throughput.publisherNanoseconds, result.rawSenderNanoseconds),
                ("subscriber", throughput.subscriberNanoseconds, result.rawReceiverNanoseconds),
            ] {
                table.add([
                    "  processor time an update, \(name)", nanoseconds(modelcast), nanoseconds(raw),
                    Figures.fixed(modelcast / max(1, raw), 2),
                ])
            }
            table.add(["  updates a frame", Figures.grouped(throughput.updatesPerFrame)])
            table.add(["  bytes on the wire an update, all headers", Figures.fixed(throughput.wireBytesPerUpdate, 1)])
        }
        table.add(["the load's own loop, an update", nanoseconds(result.generatorNanosecondsPerUpdate)])
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

    private static func addReads(of result: BenchResult, to table: inout TextTable) {
        let raw = result.rawMessagesPerSecond
        for (name, reads) in [
            ("point reads a second, 1 thread, writer running", result.reads),
            ("point reads a second, 2 threads, writer running", result.readsTwoThreads),
            ("point reads with one field decoded, 1 thread", result.fieldReads),
        ] {
            table.add([
                name, Figures.grouped(reads.perSecond), "", raw > 0 ? Figures.fixed(reads.perSecond / raw, 2) : "",
            ])
            table.add(["  processor time a read", nanoseconds(reads.nanoseconds)])
        }
        table.add(["  updates applied a second meanwhile", Figures.grouped(result.writerRateDuringReads)])
    }

    private static func addModels(of result: BenchResult, to table: inout TextTable) {
        let raw = result.rawMessagesPerSecond
        let joined = result.joinSeconds > 0 ? Double(result.plan.models) / result.joinSeconds : 0
        table.add([
            "joining with \(Figures.grouped(result.plan.models)) models", "\(Figures.fixed(result.joinSeconds, 3)) s",
            "",
            raw > 0 ? Figures.fixed(joined / raw, 2) : "",
        ])
        table.add(["bytes a model, resident memory", Figures.grouped(result.residentBytesPerModel)])
        table.add(["bytes a model, encoded record", Figures.grouped(result.encodedBytesPerModel)])
        table.add(["publishing a whole model for the first time", nanoseconds(result.populateNanosecondsPerModel)])
    }

    static func nanoseconds(_ value: Double) -> String { "\(Figures.grouped(value)) ns" }
}
