@_spi(CacheWriting) import ModelCache
import Modelcast

/// The cost of limits: of one that evicts nothing, and of one where each new model makes another leave.
///
/// Caches take the same batches in turns, one of them without limits. What each keeps is counted in the end, and
/// records that several keep are equal.
struct LimitsScenario {
    private let sizes: ScenarioSizes
    /// How much of an update's speed a limit may take that evicts nothing, and of a new model's where another leaves.
    private static let costMax = (idle: 1 / 0.97, evicting: 1 / 0.7)
    /// The most bytes that a limit may add to a model.
    private static let byteCountMax = 16.0

    init(_ sizes: ScenarioSizes) { self.sizes = sizes }

    /// Two caches that take the same, in turns.
    private struct Costs {
        var (limited, free): ([Double], [Double]) = ([], [])

        /// One round.
        mutating func add(_ limited: UInt64, _ free: UInt64, of count: Int) {
            self.limited.append(Double(limited) / Double(count))
            self.free.append(Double(free) / Double(count))
        }

        func figure(_ name: String, most: Double) -> BenchFigure {
            BenchFigure(
                name, limited.median ?? 0, .nanoseconds,
                beside: BenchFigure.Baseline(
                    "without a limit", free.median ?? 0, ratios: zip(limited, free).map { $0 / max(0.1, $1) }),
                mark: .atMost(most))
        }
    }

    func measure(_ tell: (String) -> Void) throws -> BenchPart {
        var part = BenchPart(.limits)
        let models = sizes.limitModels
        tell("bytes of \(Figures.grouped(models)) models")
        var free = FedCache()
        var wide = FedCache(limits: LimitsScenario.limits(1 << 40))
        let bytes = try (fill(&free), fill(&wide))
        tell("updates, none of which makes a model leave")
        let updates = try measureUpdates(&free, &wide)
        tell("new models, each of which makes another leave")
        var narrow = FedCache(limits: LimitsScenario.limits(models))
        _ = try fill(&narrow)
        let news = try measureNew(&free, &narrow)
        part.equalCopies = try compare(free.cache, wide.cache, narrow.cache)
        part.figures = [
            updates.figure("an update where a limit evicts nothing", most: LimitsScenario.costMax.idle),
            news.figure("a new model where another leaves", most: LimitsScenario.costMax.evicting),
            BenchFigure(
                "bytes a model that a limit adds", bytes.1 - bytes.0, .bytes,
                mark: .atMost(LimitsScenario.byteCountMax)),
        ]
        part.notes = [
            "Limits: \(Figures.grouped(models)) models of ten fields, batches of \(NumberedModels.batchCount), limits "
                + "enforced after each; where models leave the cache without a limit keeps all of them, and grows."
        ]
        return part
    }

    private static func limits(_ count: Int) -> CacheLimits {
        CacheLimits(types: [Workload.type: ModelLimits(count: count, bytes: 1 << 40, idle: .seconds(3600))])
    }

    /// Adds the first models.
    /// - Returns: how many bytes of resident memory each took.
    private func fill(_ fed: inout FedCache) throws -> Double {
        var source = NumberedModels(seed: 1)
        let before = ProcessFigures.residentByteCount
        try fed.fill(0..<sizes.limitModels, from: &source)
        return (Double(ProcessFigures.residentByteCount) - Double(before)) / Double(sizes.limitModels)
    }

    private func measureUpdates(_ free: inout FedCache, _ wide: inout FedCache) throws -> Costs {
        var source = NumberedModels(seed: 2)
        return try measure(&free, &wide) { _ in
            try source.updates(NumberedModels.batchCount, of: sizes.limitModels)
        }
    }

    private func measureNew(_ free: inout FedCache, _ narrow: inout FedCache) throws -> Costs {
        var source = NumberedModels(seed: 3)
        return try measure(&free, &narrow) { number in
            let first = sizes.limitModels + number * NumberedModels.batchCount
            return try source.whole(first..<first + NumberedModels.batchCount)
        }
    }

    /// - Parameter frame: makes the batch of a number.
    private func measure(
        _ free: inout FedCache, _ limited: inout FedCache, _ frame: (Int) throws -> [UInt8]
    ) throws -> Costs {
        var costs = Costs()
        var number = 0
        for round in 0...sizes.turns {
            var (freeTime, limitedTime, count) = (UInt64(0), UInt64(0), 0)
            while count < sizes.limitUpdates {
                let frames = try (number..<number + LimitsScenario.chunkCount).map(frame)
                number += frames.count
                // The second cache finds the batches in the processor's caches, so the order takes turns, too.
                for isFree in number / LimitsScenario.chunkCount % 2 == 0 ? [true, false] : [false, true] {
                    let start = MonotonicClock.nanoseconds
                    for frame in frames {
                        if isFree { try free.take(frame) } else { try limited.take(frame) }
                    }
                    let time = MonotonicClock.nanoseconds - start
                    if isFree { freeTime += time } else { limitedTime += time }
                }
                count += frames.count * NumberedModels.batchCount
            }
            // The first round warms the processor's caches.
            if round > 0 { costs.add(limitedTime, freeTime, of: count) }
        }
        return costs
    }

    private static let chunkCount = 16

    /// - Returns: how many copies were compared.
    /// - Throws: ``BenchError`` where a cache holds another number of models than its limit says, or other records.
    private func compare(_ free: ModelCache, _ wide: ModelCache, _ narrow: ModelCache) throws -> Int {
        let type = Workload.type
        guard wide.count(of: type) == sizes.limitModels, wide.evictedCount(of: type) == 0 else {
            throw BenchError("a limit that is not reached has made models leave")
        }
        guard narrow.count(of: type) == sizes.limitModels,
            narrow.count(of: type) + narrow.evictedCount(of: type) == free.count(of: type)
        else { throw BenchError("a copy with a limit holds another number of models than that") }
        var differing = 0
        narrow.snapshot().forEach(type: type) { record in
            // Models that were there from the start have been updated in the other two only.
            let isNew = wide[type, record.id] == nil
            if isNew, free[type, record.id]?.values != record.values { differing += 1 }
            return true
        }
        guard differing == 0 else { throw BenchError("\(differing) models differ between two caches") }
        return 3
    }
}
