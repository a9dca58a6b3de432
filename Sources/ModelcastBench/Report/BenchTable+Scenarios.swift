/// The lines of what is measured beside throughput, latency and reads.
extension BenchTable {
    static func addScenarios(of result: BenchResult, to table: inout TextTable) {
        if let recovery = result.recovery { add(recovery, of: result.plan, to: &table) }
        if let observer = result.sleepingObserver { add(observer, to: &table) }
        if let join = result.largeJoin {
            table.add([
                "joining with \(Figures.grouped(join.models)) models", "\(Figures.fixed(join.seconds, 2)) s",
                "\(Figures.fixed(join.rawSeconds, 2)) s", Figures.fixed(join.ratios.median ?? 0, 2),
            ])
            table.add(["  processor time a model, publisher", nanoseconds(join.publisherNanoseconds)])
            table.add(["  processor time a model, subscriber", nanoseconds(join.subscriberNanoseconds)])
        }
        if let start = result.warmStart {
            table.add([
                "warm start with \(Figures.grouped(start.models)) models from a store",
                "\(Figures.fixed(start.seconds, 2)) s",
            ])
            table.add(["  then until live", "\(Figures.fixed(start.liveSeconds, 2)) s"])
            table.add([
                "  records and batches that travelled, for \(Figures.grouped(start.changedUpdates)) updates",
                "\(Figures.grouped(start.snapshotRecords)) and \(Figures.grouped(start.replayedBatches))",
            ])
        }
        for push in result.pushes { add(push, of: result.plan, to: &table) }
        if let models = result.typedModels { add(models, to: &table) }
        guard let relay = result.relay else { return }
        for (name, figures) in [("one call each", relay.single), ("\(result.plan.batch) a call", relay.batched)] {
            table.add(["updates a second through a relay, \(name)", Figures.grouped(figures.updatesPerSecond)])
            table.add(["  processor time an update, relay", nanoseconds(figures.relayNanoseconds)])
            table.add(["  updates a frame", Figures.grouped(figures.updatesPerFrame)])
        }
    }

    /// In the third column what stands behind "beside".
    private static func add(_ models: BenchResult.TypedModels, to table: inout TextTable) {
        for (name, figure, other) in [
            ("decoding a model, beside by hand", models.decodeNanoseconds, models.byHandNanoseconds),
            ("decoding a model, beside JSONDecoder", models.decodeNanoseconds, models.jsonNanoseconds),
            ("typed read, warm, beside a point read", models.warmReadNanoseconds, models.pointReadNanoseconds),
            ("typed read, cold, beside a point read", models.coldReadNanoseconds, models.pointReadNanoseconds),
        ] {
            table.add([name, nanoseconds(figure), nanoseconds(other), Figures.fixed(figure / max(1, other), 2)])
        }
        table.add(["with one property changed", nanoseconds(models.withNanoseconds)])
        table.add(["diff of one property", nanoseconds(models.diffNanoseconds)])
        table.add([
            "typed reads a second, 8 queues, writer running", Figures.grouped(models.concurrentReadsPerSecond),
        ])
        table.add(["  updates committed a second meanwhile", Figures.grouped(models.concurrentUpdatesPerSecond)])
    }

    private static func add(_ recovery: BenchResult.Recovery, of plan: BenchPlan, to table: inout TextTable) {
        let stop = "\(Figures.fixed(plan.stopSeconds, 1)) s"
        let mebibytes = { (byteCount: Int) in "\(Figures.fixed(Double(byteCount) / 1_048_576, 1)) MiB" }
        table.add([
            "recovery after a stop of \(stop) at \(Figures.grouped(plan.stopRate)) a second",
            "\(Figures.fixed(recovery.seconds, 2)) s",
        ])
        table.add(["  the publisher's memory grew by", mebibytes(recovery.publisherGrownByteCount)])
        table.add(["  of what may wait for a subscriber", mebibytes(recovery.queueByteCount)])
        table.add(["  on the wire meanwhile", mebibytes(recovery.sentByteCount)])
        table.add(["  published a second before", Figures.grouped(recovery.publishedPerSecondBefore)])
        table.add(["  published a second during the stop", Figures.grouped(recovery.publishedPerSecond)])
        table.add(["  processor time an update, publisher, before", nanoseconds(recovery.publisherNanosecondsBefore)])
        table.add(["  the same during the stop", nanoseconds(recovery.publisherNanoseconds)])
        table.add(["  holes of the other subscriber", Figures.grouped(recovery.otherHoles)])
        table.add(["  how far behind that was at the end", "\(Figures.fixed(recovery.otherLagSeconds * 1000, 0)) ms"])
    }

    private static func add(_ observer: BenchResult.SleepingObserver, to table: inout TextTable) {
        table.add([
            "changes that waited for an observer asleep, of \(Figures.grouped(observer.updates))",
            Figures.grouped(observer.changes),
        ])
        table.add(["  models", Figures.grouped(observer.models)])
        table.add(["  of the changes, folded", Figures.grouped(observer.folded)])
        table.add([
            "  the process's memory grew by", "\(Figures.fixed(Double(observer.grownByteCount) / 1_048_576, 1)) MiB",
        ])
    }

    private static func add(_ push: BenchResult.Push, of plan: BenchPlan, to table: inout TextTable) {
        let kind = push.isDurable ? "durable" : "in memory"
        table.add([
            "updates pushed and acknowledged a second, \(plan.batch) a call, \(kind)",
            Figures.grouped(push.updatesPerSecond),
        ])
        table.add(["  processor time an update, pusher", nanoseconds(push.pusherNanoseconds)])
        table.add(["  processor time an update, relay", nanoseconds(push.relayNanoseconds)])
    }
}
