/// What stands below the table.
extension BenchTable {
    static func notes(_ result: BenchResult) -> [String] {
        let plan = result.plan
        var notes: [String] = []
        if plan.measures(.throughput) { notes += throughputNotes(result) }
        if let lateness = result.generatorLateness {
            notes.append(
                "The load itself was late by p50 \(Figures.fixed(lateness.median, 1)) µs, "
                    + "p99 \(Figures.fixed(lateness.percentile99, 1)) µs. Folded changes: \(result.foldedChanges).")
        }
        if let recovery = result.recovery { notes.append(note(recovery)) }
        if let join = result.largeJoin {
            let seconds = { (all: [Double]) in all.map { Figures.fixed($0, 2) }.joined(separator: ", ") }
            notes.append(
                "Joins with \(Figures.grouped(join.models)) models: \(seconds(join.rounds)) s; their "
                    + "\(Figures.mebibytes(UInt64(join.byteCount))) over raw libzmq: \(seconds(join.rawRounds)) s.")
        }
        if let start = result.warmStart {
            notes.append(
                "The store has \(Figures.mebibytes(UInt64(start.fileByteCount))); who had joined with it took "
                    + "\(Figures.fixed(start.leavingSeconds, 1)) s more to write the last of it and end.")
        }
        if result.typedModels != nil {
            notes.append("Of models as Swift types the third column has what stands behind \"beside\".")
        }
        // Models as Swift types are measured in one process, on one copy.
        if plan.scenarios != [.models] { notes.append("Digests were equal at the end of every part.") }
        notes.append("Compare figures of one run only.")
        return notes
    }

    private static func throughputNotes(_ result: BenchResult) -> [String] {
        let plan = result.plan
        let rounds = { (rates: [Double]) in rates.map { Figures.grouped($0) }.joined(separator: ", ") }
        let ratios = { (ratios: [Double]) in ratios.map { Figures.fixed($0, 2) }.joined(separator: ", ") }
        return [
            "\(Figures.grouped(plan.models)) models of ten fields, \(Figures.grouped(plan.updates)) updates of two "
                + "fields a round, two processes, TCP loopback.",
            "Rounds, one call each: \(rounds(result.single.rounds)). "
                + "Rounds, \(plan.batch) a call: \(rounds(result.batched.rounds)).",
            "Rounds, raw messages of 100 bytes a second: \(rounds(result.rawRounds)).",
            "Ratios to the raw rounds before and after, one call each: \(ratios(result.single.ratios)); "
                + "\(plan.batch) a call: \(ratios(result.batched.ratios)). The table has the medians.",
            "Holes: \(result.holes). Outbox full: \(Figures.grouped(result.single.backPressured)) and "
                + "\(Figures.grouped(result.batched.backPressured)) times.",
            "Ratios of reads and of joining are to raw messages a second.",
        ]
    }

    private static func note(_ recovery: BenchResult.Recovery) -> String {
        let counters = recovery.counters.filter { name, _ in
            ["holes", "snapshot", "replay", "sender_timeouts", "buckets"].contains { name.contains($0) }
        }
        let counted = counters.sorted { $0.key < $1.key }.map { "\($0.key) \(Figures.grouped($0.value))" }
        return "The stopped subscriber counted: \(counted.joined(separator: ", "))."
    }
}
