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
        for number in 1...joins {
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
            if number == joins, plan.measures(.warmStart) { try await measureWarmStart(publisher, subscriber) }
            await end(subscriber)
        }
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

    /// The subscriber's models go into a file, and from there into a new process.
    private func measureWarmStart(_ publisher: Process, _ subscriber: Process) async throws {
        tell("warm start with \(Figures.grouped(plan.largeModels)) models from a store")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelcast-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("models.store").path
        guard case .stored(let writing) = try await subscriber.ask(.store(path: path), within: .seconds(300)) else {
            throw unexpected(subscriber.name)
        }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        let (started, _) = try await start("bench warm start", .warmStart(path: path))
        guard case .warm(let warm) = try await started.ask(.warmStart, within: .seconds(300)) else {
            throw unexpected(started.name)
        }
        let expected = try await state(publisher)
        guard warm.models == expected.models, warm.digest == expected.digest else {
            throw BenchError("from the store came \(warm.models) models that are not those of the publisher")
        }
        result.warmStart = BenchResult.WarmStart(
            models: warm.models, seconds: warm.seconds, openSeconds: warm.openSeconds, writeSeconds: writing,
            fileByteCount: size ?? 0)
        await end(started)
    }
}
