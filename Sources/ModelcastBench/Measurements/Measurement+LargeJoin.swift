import Foundation

/// Joining with many models, and starting with them from a store.
extension Measurement {
    /// What a publisher sends as one chunk of a snapshot.
    private static let chunkByteCount = 128 * 1024

    func measureLargeJoin() async throws {
        let plan = plan.with(models: plan.largeModels)
        tell("joining with \(Figures.grouped(plan.models)) models, and their bytes over raw libzmq")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        var figures = BenchResult.LargeJoin(models: plan.models)
        var rawBefore: Double?
        let joins = plan.measures(.join) ? min(2, max(1, plan.rounds)) : 1
        for _ in 1...joins {
            let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
            let processorBefore = (try await state(publisher), try await state(subscriber))
            let joined = try await joined(subscriber, models: plan.models)
            let processorAfter = (try await state(publisher), try await state(subscriber))
            try await requireEqual(publisher, subscriber, after: "the join with many models")
            if plan.measures(.join) {
                (figures.byteCount, figures.residentByteCount) = (joined.encodedByteCount, joined.residentByteCount)
                let (models, before) = (Double(plan.models), processorBefore)
                figures.publisherNanoseconds =
                    (processorAfter.0.processorSeconds - before.0.processorSeconds) * 1e9 / models
                figures.subscriberNanoseconds =
                    (processorAfter.1.processorSeconds - before.1.processorSeconds) * 1e9 / models
                let raw = try await bulk(&figures)
                figures.rounds.append(joined.seconds)
                figures.ratios.append(joined.seconds / (((rawBefore ?? raw) + raw) / 2))
                rawBefore = raw
            }
            await end(subscriber)
        }
        if plan.measures(.warmStart) { try await measureWarmStart(plan, publisher, endpoint) }
        await end()
        guard plan.measures(.join) else { return }
        figures.seconds = figures.rounds.median ?? 0
        figures.rawSeconds = figures.rawRounds.median ?? 0
        result.largeJoin = figures
    }

    private func bulk(_ figures: inout BenchResult.LargeJoin) async throws -> Double {
        let raw = try await rawBulk(byteCount: figures.byteCount, chunkByteCount: Measurement.chunkByteCount)
        figures.rawRounds.append(raw)
        return raw
    }

    /// A subscriber with a store joins and leaves, something changes, and another process starts from its file.
    private func measureWarmStart(_ plan: BenchPlan, _ publisher: Process, _ endpoint: String) async throws {
        tell("warm start with \(Figures.grouped(plan.models)) models from a store")
        try await withFolder { folder in
            let path = folder.appendingPathComponent("models.store").path
            let task = BenchTask.subscriber(plan, endpoint: endpoint, store: path)
            let (first, _) = try await start("bench subscriber", task)
            _ = try await joined(first, models: plan.models)
            guard case .left(let leaving) = try await first.ask(.leave, within: .seconds(120)) else {
                throw unexpected(first.name)
            }
            await end(first)
            let order = BenchOrder.publish(count: plan.changedWhileAway, batch: plan.batch, run: 1)
            guard case .published(let published) = try await publisher.ask(order, within: .seconds(60)) else {
                throw unexpected(publisher.name)
            }
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            let (second, _) = try await start("bench warm start", task)
            guard case .warm(let warm) = try await second.ask(.warmStart, within: .seconds(20)) else {
                throw unexpected(second.name)
            }
            guard warm.models == plan.models else {
                throw BenchError("from the store came \(warm.models) of \(plan.models) models")
            }
            let joined = try await joined(second, models: plan.models)
            try await requireEqual(publisher, second, after: "the warm start")
            let counters = try await state(second).counters
            result.warmStart = BenchResult.WarmStart(
                models: warm.models, seconds: warm.seconds, liveSeconds: joined.seconds, leavingSeconds: leaving,
                fileByteCount: size ?? 0, changedUpdates: published.count,
                snapshotRecords: Int(counters["snapshot_records"] ?? 0),
                replayedBatches: Int(counters["replayed_batches"] ?? 0))
            await end(second)
        }
    }
}
