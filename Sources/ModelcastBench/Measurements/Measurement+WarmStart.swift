import Foundation

/// Starting with many models from a store.
extension Measurement {
    /// Measures a start from a store: a subscriber with a store joins and leaves, some models change, and another
    /// process starts from its file.
    func measureWarmStart() async throws -> BenchPart {
        let plan = plan.with(models: plan.largeModels)
        tell("\(Figures.grouped(plan.models)) models are published and stored")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        return try await withFolder { folder in
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
            tell("\(Figures.grouped(plan.models)) models from the store")
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
            var part = BenchPart(.warmStart)
            let changed = Figures.grouped(published.count)
            let travelled = (
                records: Double(counters["snapshot_records"] ?? 0), batches: Double(counters["replayed_batches"] ?? 0)
            )
            part.figures = [
                BenchFigure(
                    "warm start with \(Figures.grouped(warm.models)) models from a store", warm.seconds, .seconds),
                BenchFigure("then until live", joined.seconds, .seconds),
                BenchFigure("records that travelled, for \(changed) updates", travelled.records, .count),
                BenchFigure("batches that travelled, for \(changed) updates", travelled.batches, .count),
                BenchFigure("the store", Double(size ?? 0) / 1_048_576, .mebibytes),
                BenchFigure("until who had joined with it had written the last and ended", leaving, .seconds),
            ]
            return part
        }
    }
}
