import Modelcast
import Synchronization

/// The cost of an update with a thousand models, and with ten million.
///
/// Models have four fields, so that ten million of them fit the memory; an update sets two. A cache applies batches
/// through the decoder, as a subscriber does. It takes turns with dictionaries behind a lock, which take the same
/// updates as Swift values, with nothing to decode and no versions.
struct GrowthScenario {
    private let sizes: ScenarioSizes
    private static let fieldCount = 4
    static let growthMax = 3.0

    init(_ sizes: ScenarioSizes) { self.sizes = sizes }

    private struct Cost {
        let models: Int
        var cache: [Double] = []
        var dictionary: [Double] = []
    }

    func measure(_ tell: (String) -> Void) throws -> BenchPart {
        var part = BenchPart(.growth)
        var source = NumberedModels(fieldCount: GrowthScenario.fieldCount, seed: 3)
        var fed = FedCache()
        let other = LockedTexts()
        var filled = 0
        var costs: [Cost] = []
        let residentBefore = ProcessFigures.residentByteCount
        for models in sizes.growthModels.sorted() {
            if let missing = missingByteCount(models, filled: filled, since: residentBefore) {
                part.notes.append(
                    "Growth: \(Figures.grouped(models)) models were left out: they need about "
                        + "\(Figures.mebibytes(missing.needed)), and \(Figures.mebibytes(missing.available)) are free.")
                continue
            }
            tell("\(Figures.grouped(models)) models")
            try fill(filled..<models, &fed, other, &source)
            filled = models
            costs.append(try measure(models, &fed, other, &source))
        }
        part.equalCopies = try compare(fed.cache, other, models: filled)
        part.figures = figures(costs)
        part.notes.append(
            "Growth: models of \(GrowthScenario.fieldCount) fields; the dictionary is [String: [String: String]] "
                + "behind a Mutex, locked once a batch of \(NumberedModels.batchCount), with nothing to decode and no "
                + "versions.")
        return part
    }

    private func fill(
        _ models: Range<Int>, _ fed: inout FedCache, _ other: LockedTexts, _ source: inout NumberedModels
    ) throws {
        for start in stride(from: models.lowerBound, to: models.upperBound, by: NumberedModels.batchCount) {
            let batch = start..<min(start + NumberedModels.batchCount, models.upperBound)
            try fed.take(try source.whole(batch))
            for model in batch {
                let id = NumberedModels.id(model)
                guard let record = fed.cache[Workload.type, id] else { throw BenchError("a model is missing") }
                other.add(id, NumberedModels.texts(of: record))
            }
        }
    }

    private func measure(
        _ models: Int, _ fed: inout FedCache, _ other: LockedTexts, _ source: inout NumberedModels
    ) throws -> Cost {
        var cost = Cost(models: models)
        for round in 0...sizes.turns {
            var (cacheTime, dictionaryTime) = (0 as UInt64, 0 as UInt64)
            var count = 0
            // Only some batches are made ahead, so that they take little of the processor's caches.
            while count < sizes.growthUpdates {
                var frames: [[UInt8]] = []
                var plain: [[PlainUpdate]] = []
                for _ in 0..<GrowthScenario.chunkCount {
                    frames.append(try source.updates(NumberedModels.batchCount, of: models, isPlain: true))
                    plain.append(source.plain)
                }
                let start = MonotonicClock.nanoseconds
                for frame in frames { try fed.take(frame) }
                let middle = MonotonicClock.nanoseconds
                for batch in plain { other.apply(batch) }
                cacheTime += middle - start
                dictionaryTime += MonotonicClock.nanoseconds - middle
                count += frames.count * NumberedModels.batchCount
            }
            // The first round warms the processor's caches.
            guard round > 0 else { continue }
            cost.cache.append(Double(cacheTime) / Double(count))
            cost.dictionary.append(Double(dictionaryTime) / Double(count))
        }
        return cost
    }

    private static let chunkCount = 32

    private func figures(_ costs: [Cost]) -> [BenchFigure] {
        var figures = costs.map { cost in
            let ratios = zip(cost.cache, cost.dictionary).map { $0 / max(0.1, $1) }
            return BenchFigure(
                "an update with \(Figures.grouped(cost.models)) models", cost.cache.median ?? 0, .nanoseconds,
                beside: BenchFigure.Baseline(
                    "dictionaries behind a Mutex", cost.dictionary.median ?? 0, ratios: ratios))
        }
        guard costs.count > 1, let first = costs.first, let last = costs.last else { return figures }
        for (name, path) in [("", \Cost.cache), ("the same of the dictionaries: ", \Cost.dictionary)] {
            let (few, many) = (first[keyPath: path].median ?? 0, last[keyPath: path].median ?? 0)
            figures.append(
                BenchFigure(
                    "\(name)an update with \(Figures.grouped(last.models)) models", many, .nanoseconds,
                    beside: BenchFigure.Baseline(
                        "with \(Figures.grouped(first.models))", few, ratio: many / max(0.1, few)),
                    mark: name.isEmpty ? .atMost(GrowthScenario.growthMax) : nil))
        }
        return figures
    }

    /// The memory that `models` need and the memory that is free, where the need is greater; nil where they fit.
    private func missingByteCount(
        _ models: Int, filled: Int, since before: UInt64
    ) -> (needed: UInt64, available: UInt64)? {
        // A model needs what it took at the last size, and half as much again for tables that double.
        let grown = Double(ProcessFigures.residentByteCount &- before)
        let each = filled >= 10_000 ? grown / Double(filled) : 1_200
        let needed = UInt64(Double(models - filled) * each * 1.5)
        let available = MemoryFacts.availableByteCount
        return needed > available ? (needed, available) : nil
    }

    /// Compares cache and dictionaries, in up to about 200,000 models that are spread over all.
    /// - Returns: how many copies were compared.
    /// - Throws: ``BenchError`` when they differ.
    private func compare(_ cache: ModelCache, _ other: LockedTexts, models: Int) throws -> Int {
        for model in stride(from: 0, to: models, by: max(1, models / 100_000)) {
            let id = NumberedModels.id(model)
            guard let record = cache[Workload.type, id], NumberedModels.texts(of: record) == other.texts(of: id) else {
                throw BenchError("model \(id) of the dictionaries is not that of the cache; no figure counts")
            }
        }
        guard other.count == cache.count(of: Workload.type) else { throw BenchError("models are missing") }
        return 2
    }
}

/// Models as dictionaries behind a lock, as a program without Modelcast might keep them.
final class LockedTexts: Sendable {
    private let models = Mutex<[String: [String: String]]>([:])

    func add(_ id: String, _ texts: [String: String]) { models.withLock { $0[id] = texts } }

    func texts(of id: String) -> [String: String]? { models.withLock { $0[id] } }

    var count: Int { models.withLock { $0.count } }

    /// Applies one batch, under one lock.
    func apply(_ batch: [PlainUpdate]) {
        models.withLock { models in
            for update in batch {
                update.apply(to: &models[update.id, default: [:]])
            }
        }
    }
}

extension BenchFigure.Baseline {
    /// - Parameter ratios: the ratio of each round; the median counts.
    init(_ name: String, _ value: Double, ratios: [Double]) {
        self.init(name, value, ratio: ratios.median ?? 0, range: BenchFigure.Baseline.range(ratios))
    }

    private static func range(_ ratios: [Double]) -> ClosedRange<Double>? {
        guard ratios.count > 1, let least = ratios.min(), let greatest = ratios.max() else { return nil }
        return least...greatest
    }
}
