import ModelRecord
import Modelcast
import Synchronization

/// Opening a snapshot of many models, walking it, and holding it while updates land.
struct SnapshotScenario {
    private let sizes: ScenarioSizes
    static let openNanosecondsMax = 1_000.0
    static let recordsPerSecondMin = 10_000_000.0

    init(_ sizes: ScenarioSizes) { self.sizes = sizes }

    func measure(_ tell: (String) -> Void) throws -> BenchPart {
        var part = BenchPart(.snapshot)
        let models = sizes.snapshotModels
        tell("filling a cache with \(Figures.grouped(models)) models")
        var fed = FedCache()
        var source = NumberedModels(seed: 31)
        try fed.fill(0..<models, from: &source)
        var records: [String: CellRecord] = [:]
        records.reserveCapacity(models)
        for record in fed.cache.snapshot().records(of: Workload.type) { records[record.id] = record }
        guard records.count == models else { throw BenchError("a snapshot has \(records.count) of \(models) models") }
        tell("opening")
        let copies = Mutex(records)
        open(fed.cache, copies, &part)
        tell("walking")
        try walk(fed.cache, records, &part)
        records = [:]
        copies.withLock { $0 = [:] }
        tell("holding one while \(Figures.grouped(sizes.snapshotUpdates)) updates land")
        try hold(&fed, &source, &part)
        return part
    }

    /// Times each opening on its own, without the release.
    private func open(_ cache: ModelCache, _ copies: borrowing Mutex<[String: CellRecord]>, _ part: inout BenchPart) {
        var (times, copyTimes, closeTimes): ([Double], [Double], [Double]) = ([], [], [])
        var sum = 0
        for _ in 0..<max(1, sizes.snapshotOpenings) {
            let start = MonotonicClock.nanoseconds
            var snapshot: Snapshot? = cache.snapshot()
            let opened = MonotonicClock.nanoseconds
            sum &+= Int(snapshot?.commitNumber ?? 0)
            let closing = MonotonicClock.nanoseconds
            snapshot = nil
            let closed = MonotonicClock.nanoseconds
            let copy = copies.withLock { $0 }
            copyTimes.append(Double(MonotonicClock.nanoseconds - closed))
            sum &+= copy.count
            times.append(Double(opened - start))
            closeTimes.append(Double(closed - closing))
        }
        // The sum is used, so that the compiler removes nothing.
        let median = (times.median ?? 0) + (sum == .min ? 1 : 0)
        part.figures.append(
            BenchFigure(
                "opening a snapshot of \(Figures.grouped(sizes.snapshotModels)) models", median, .nanoseconds,
                mark: .atMost(SnapshotScenario.openNanosecondsMax)))
        part.details += [
            BenchFigure("closing one", closeTimes.median ?? 0, .nanoseconds),
            BenchFigure(
                "a reference to a Dictionary behind a Mutex, which the next write would copy", copyTimes.median ?? 0,
                .nanoseconds),
            BenchFigure("the clock, contained in these", ReadsScenario.clockNanoseconds, .nanoseconds),
        ]
    }

    /// Times walks over all records, which read the size of each: by `forEach`, by the sequence, and over a dictionary
    /// with the same records.
    private func walk(_ cache: ModelCache, _ records: [String: CellRecord], _ part: inout BenchPart) throws {
        var rates: [String: [Double]] = [:]
        for round in 0...sizes.turns {
            var sums: [Int] = []
            func add(_ name: String, _ body: () -> Int) {
                let start = MonotonicClock.nanoseconds
                sums.append(body())
                let elapsed = MonotonicClock.nanoseconds - start
                if round > 0 { rates[name, default: []].append(Double(records.count) * 1e9 / Double(elapsed)) }
            }
            let snapshot = cache.snapshot()
            add("forEach") {
                var sum = 0
                snapshot.forEach(type: Workload.type) { record in
                    sum &+= record.byteCount
                    return true
                }
                return sum
            }
            add("records") { snapshot.records(of: Workload.type).reduce(0) { $0 &+ $1.byteCount } }
            add("dictionary") { records.reduce(0) { $0 &+ $1.value.byteCount } }
            guard Set(sums).count == 1 else { throw BenchError("walks of one snapshot differ: \(sums)") }
        }
        let dictionary = rates["dictionary"] ?? []
        for (name, key) in [("forEach", "forEach"), ("for record in records(of:)", "records")] {
            let own = rates[key] ?? []
            part.figures.append(
                BenchFigure(
                    "records a second, \(name)", own.median ?? 0, .perSecond,
                    mark: key == "forEach" ? .atLeast(SnapshotScenario.recordsPerSecondMin) : nil))
        }
        part.details.append(
            BenchFigure("records a second, a Dictionary of the same", dictionary.median ?? 0, .perSecond))
    }

    /// Measures how memory grows while a snapshot is held, beside the records that are replaced meanwhile.
    private func hold(_ fed: inout FedCache, _ source: inout NumberedModels, _ part: inout BenchPart) throws {
        // The updates are made once without a snapshot, so that memory that the allocator keeps does not count as
        // growth.
        try update(&fed, &source)
        let before = ProcessFigures.residentByteCount
        let snapshot = fed.cache.snapshot()
        let start = MonotonicClock.nanoseconds
        let digest = SnapshotScenario.digest(snapshot)
        let digestSeconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        try update(&fed, &source)
        let grown = Int(ProcessFigures.residentByteCount) - Int(before)
        let after = SnapshotScenario.digest(snapshot)
        guard digest == after else { throw BenchError("a snapshot has changed while it was held; no figure counts") }
        var (replaced, byteCount) = (0, 0)
        snapshot.forEach(type: Workload.type) { record in
            let now = fed.cache.record(type: Workload.type, id: record.id, includingTombstones: true)
            if !(now?.isIdentical(to: record) ?? false) {
                replaced += 1
                byteCount += record.byteCount
            }
            return true
        }
        let (held, kept) = (Double(grown) / 1_048_576, Double(byteCount) / 1_048_576)
        part.figures += [
            BenchFigure(
                "memory that grew while \(Figures.grouped(sizes.snapshotUpdates)) updates landed", held, .mebibytes,
                beside: BenchFigure.Baseline("replaced records, encoded", kept, ratio: held / max(0.001, kept)))
        ]
        part.details += [
            BenchFigure("records that were replaced while a snapshot was held", Double(replaced), .count),
            BenchFigure("bytes of growth a replaced record", Double(grown) / Double(max(1, replaced)), .bytes),
            BenchFigure("bytes of a replaced record, encoded", Double(byteCount) / Double(max(1, replaced)), .bytes),
        ]
        part.equalCopies = 2
        part.notes.append(
            "Snapshot: models of ten fields. What was held is the same before and after the updates, byte for byte "
                + "(\(Figures.fixed(digestSeconds, 1)) s to read it all); \(Figures.grouped(replaced)) records were "
                + "replaced meanwhile.")
    }

    private func update(_ fed: inout FedCache, _ source: inout NumberedModels) throws {
        for _ in 0..<max(1, sizes.snapshotUpdates / NumberedModels.batchCount) {
            try fed.take(try source.updates(NumberedModels.batchCount, of: sizes.snapshotModels))
        }
    }

    /// A digest of the bytes of all records, whatever their order.
    private static func digest(_ snapshot: Snapshot) -> UInt64 {
        var sum: UInt64 = 0
        snapshot.forEach(type: Workload.type) { record in
            sum &+= Fingerprint.mix(Fingerprint.fnv(record.bytes))
            return true
        }
        return sum
    }
}
