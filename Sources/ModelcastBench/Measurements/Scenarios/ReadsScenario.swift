import Histogram

/// Point reads by queues, with and without a writer, beside a dictionary behind a lock that holds the same records.
///
/// The most telling cases are in the table, the others among the details.
struct ReadsScenario {
    private let sizes: ScenarioSizes
    /// The bound of a read's time, divided by that of the dictionary.
    static let ratioMax = 1.0
    /// The bound of the 99.9th percentile under full write load, divided by the median.
    static let tailMax = 10.0

    init(_ sizes: ScenarioSizes) { self.sizes = sizes }

    func measure(_ tell: (String) -> Void) throws -> BenchPart {
        var part = BenchPart(.reads)
        let available = MemoryFacts.availableByteCount
        for models in sizes.readModels.sorted() {
            let needed = UInt64(models) * ReadsScenario.byteCountOfModel
            guard needed < available else {
                part.notes.append(
                    "Reads: \(Figures.grouped(models)) models were left out: they need about "
                        + "\(Figures.mebibytes(needed)), and \(Figures.mebibytes(available)) are free.")
                continue
            }
            tell("\(Figures.grouped(models)) models")
            try measure(models, &part)
        }
        part.notes += [
            "Reads: models of ten fields; the hot set is one percent of the ids. The dictionary is [String: "
                + "CellRecord] behind a Mutex, with the same records; its keys are strings of their own. Its writer "
                + "replaces values, the cache's makes, decodes and commits batches, "
                + "\(NumberedModels.batchCount) models a batch, atomic in both.",
            "Reads that are timed one by one contain the clock: "
                + "\(Figures.fixed(ReadsScenario.clockNanoseconds, 0)) ns are between two looks at it.",
        ]
        return part
    }

    /// About how many bytes one model takes, with two records, and its entries in the cache, the dictionary and the
    /// list of ids.
    private static let byteCountOfModel: UInt64 = 1_600

    private func measure(_ models: Int, _ part: inout BenchPart) throws {
        let cache = try CacheReads(models: models)
        let dictionary = try DictionaryReads(cache, models: models)
        let ids = (0..<models).map { NumberedModels.id($0) }
        let isMiddle = models == middle
        for queues in sizes.readQueues {
            for isHot in [true, false] {
                for hasWriter in [false, true] {
                    let one = ReadCase(models: models, queues: queues, isHot: isHot, hasWriter: hasWriter)
                    try compare(one, cache, dictionary, ids, &part)
                    if hasWriter, isMiddle, queues == 1 || queues == sizes.readQueues.max() {
                        try measureTail(one, cache, dictionary, ids, &part)
                    }
                }
            }
        }
        guard isMiddle else { return }
        let warm = ReadCase(models: models, queues: 1, isHot: true, hasWriter: false)
        let named = try turns(NamedReads(reads: cache), ids, warm).map(\.nanoseconds).median ?? 0
        part.figures.append(BenchFigure("a point read by type and id, \(warm.name)", named, .nanoseconds))
    }

    /// The number of models whose figures are in the table.
    private var middle: Int? { sizes.readModels.sorted().last { $0 <= 100_000 } ?? sizes.readModels.min() }

    private func isInTable(_ one: ReadCase) -> Bool {
        guard one.models == middle else { return one.queues == 1 && !one.hasWriter && !one.isHot }
        return one.queues == 1 || (one.queues == sizes.readQueues.max() && one.hasWriter)
    }

    private func compare(
        _ one: ReadCase, _ cache: CacheReads, _ dictionary: DictionaryReads, _ ids: [String], _ part: inout BenchPart
    ) throws {
        let isMarked = one.queues == 1 && one.isHot && !one.hasWriter && one.models == middle
        var (ours, theirs): ([ReadTurn], [ReadTurn]) = ([], [])
        for _ in 0..<(isMarked ? 5 * sizes.turns : sizes.turns) {
            ours.append(try turn(cache, ids, one))
            theirs.append(try turn(dictionary, ids, one))
        }
        let isShared = one.queues > 1
        let path = isShared ? \ReadTurn.readsPerSecond : \ReadTurn.nanoseconds
        let figure = BenchFigure(
            (isShared ? "reads a second, " : "a point read, ") + one.name, ours.map { $0[keyPath: path] }.median ?? 0,
            isShared ? .perSecond : .nanoseconds,
            beside: BenchFigure.Baseline(
                "Dictionary behind a Mutex", theirs.map { $0[keyPath: path] }.median ?? 0,
                ratios: zip(ours, theirs).map { $0[keyPath: path] / max(0.001, $1[keyPath: path]) }),
            mark: isMarked ? .atMost(ReadsScenario.ratioMax) : nil)
        part.add(figure, isInTable: isInTable(one))
        guard one.hasWriter else { return }
        part.add(
            BenchFigure(
                "  written meanwhile", ours.map(\.writesPerSecond).median ?? 0, .perSecond,
                beside: BenchFigure.Baseline(
                    "Dictionary behind a Mutex", theirs.map(\.writesPerSecond).median ?? 0,
                    ratios: zip(ours, theirs).map { $0.writesPerSecond / max(0.001, $1.writesPerSecond) })),
            isInTable: isInTable(one))
    }

    /// Measures with a clock around every single read.
    private func measureTail(
        _ one: ReadCase, _ cache: CacheReads, _ dictionary: DictionaryReads, _ ids: [String], _ part: inout BenchPart
    ) throws {
        var (ours, theirs) = (ReadTurn(), ReadTurn())
        for _ in 0..<sizes.turns {
            ours.times.add(try turn(cache, ids, one, timesEach: true).times)
            theirs.times.add(try turn(dictionary, ids, one, timesEach: true).times)
        }
        for (turn, name) in [(ours, "a read"), (theirs, "  the same of the Dictionary")] {
            let (median, tail) = (turn.percentile(50), turn.percentile(99.9))
            part.add(
                BenchFigure(
                    "p99.9 of \(name), \(one.name)", tail, .nanoseconds,
                    beside: BenchFigure.Baseline("its median", median, ratio: tail / max(1, median)),
                    mark: name == "a read" ? .atMost(ReadsScenario.tailMax) : nil),
                isInTable: true)
        }
    }

    private func turns(_ source: some ReadSource, _ ids: [String], _ one: ReadCase) throws -> [ReadTurn] {
        try (0..<sizes.turns).map { _ in try turn(source, ids, one) }
    }

    private func turn(
        _ source: some ReadSource, _ ids: [String], _ one: ReadCase, timesEach: Bool = false
    ) throws -> ReadTurn {
        let seconds = timesEach ? 4 * sizes.readTurnSeconds : sizes.readTurnSeconds
        let turn = try ReadTurn.measure(source, ids, one, seconds: seconds, timesEach: timesEach)
        guard turn.missed == 0 else { throw BenchError("\(turn.missed) reads found no model; no figure counts") }
        return turn
    }

    /// The median time between two looks at the clock.
    static var clockNanoseconds: Double {
        let gaps = (0..<10_001).map { _ -> Double in
            let start = MonotonicClock.nanoseconds
            return Double(MonotonicClock.nanoseconds - start)
        }
        return gaps.median ?? 0
    }
}

extension ReadTurn {
    func percentile(_ percentile: Double) -> Double { Double(times.valueAtPercentile(percentile)) }
}

extension BenchPart {
    /// Adds a figure to the table or to the details.
    mutating func add(_ figure: BenchFigure, isInTable: Bool) {
        if isInTable { figures.append(figure) } else { details.append(figure) }
    }
}
