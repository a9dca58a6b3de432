import Dispatch
import Modelcast
import Synchronization

/// Updates applied a second while many models have an observer each, on one queue.
///
/// Two caches take the same batches in turns, one of them observed. The changes told to the observers are counted, and
/// the last one of each is compared with the cache.
struct ObserversScenario {
    private let sizes: ScenarioSizes
    static let ratioMin = 0.8

    init(_ sizes: ScenarioSizes) { self.sizes = sizes }

    /// The rounds with one number of observers: updates a second, and counts.
    private struct Rounds {
        var plain: [Double] = []
        var observed: [Double] = []
        /// Updates a second, over the time until the last observer was told.
        var told: [Double] = []
        var callCount = 0
        var changeCount = 0
        var foldedCount = 0
    }

    func measure(_ tell: (String) -> Void) throws -> BenchPart {
        var part = BenchPart(.observers)
        let models = sizes.observerModels
        tell("filling two caches with \(Figures.grouped(models)) models")
        var plain = FedCache()
        var observed = FedCache()
        var source = NumberedModels(seed: 21)
        for start in stride(from: 0, to: models, by: NumberedModels.batchCount) {
            let frame = try source.whole(start..<min(start + NumberedModels.batchCount, models))
            try plain.take(frame)
            try observed.take(frame)
        }
        let tally = ObserverTally(models: models)
        defer { tally.end() }
        for count in sizes.observerCounts.sorted() {
            let observers = min(count, models)
            let start = MonotonicClock.nanoseconds
            tally.register(observers, at: observed.cache)
            let registration = Double(MonotonicClock.nanoseconds - start) / Double(max(1, observers - tally.before))
            try tally.awaitTold()
            tell("\(Figures.grouped(observers)) observers")
            let rounds = try measure(observers, &plain, &observed, tally, &source)
            try tally.requireLast(of: observed.cache)
            add(rounds, observers, registration: registration, to: &part)
        }
        guard plain.cache.digest(of: Workload.type) == observed.cache.digest(of: Workload.type) else {
            throw BenchError("the cache with observers is not equal to the one without; no figure counts")
        }
        part.equalCopies = 2
        part.notes.append(
            "Observers: \(Figures.grouped(models)) models of ten fields, batches of \(NumberedModels.batchCount), one "
                + "observer a model, all on one queue. Every change of an observed model was told.")
        return part
    }

    private func measure(
        _ observers: Int, _ plain: inout FedCache, _ observed: inout FedCache, _ tally: ObserverTally,
        _ source: inout NumberedModels
    ) throws -> Rounds {
        var rounds = Rounds()
        var before = tally.counts
        for round in 0...sizes.turns {
            // The first round warms up.
            if round == 1 { before = tally.counts }
            var frames: [[UInt8]] = []
            for _ in 0..<max(1, sizes.observerUpdates / NumberedModels.batchCount) {
                frames.append(try source.updates(NumberedModels.batchCount, of: sizes.observerModels))
                // One batch changes a model once, however many updates it has.
                tally.expect(Set(source.touched.filter { $0 < observers }).count)
            }
            let count = Double(frames.count * NumberedModels.batchCount) * 1e9
            func run(_ cache: inout FedCache) throws -> UInt64 {
                let start = MonotonicClock.nanoseconds
                for frame in frames { try cache.take(frame) }
                return MonotonicClock.nanoseconds - start
            }
            let plainTime = try run(&plain)
            let start = MonotonicClock.nanoseconds
            let observedTime = try run(&observed)
            try tally.awaitTold()
            let toldTime = MonotonicClock.nanoseconds - start
            guard round > 0 else { continue }
            rounds.plain.append(count / Double(plainTime))
            rounds.observed.append(count / Double(observedTime))
            rounds.told.append(count / Double(toldTime))
        }
        let after = tally.counts
        rounds.callCount = after.calls - before.calls
        rounds.changeCount = after.changes - before.changes
        rounds.foldedCount = after.folded - before.folded
        return rounds
    }

    private func add(_ rounds: Rounds, _ observers: Int, registration: Double, to part: inout BenchPart) {
        let isLast = observers == min(sizes.observerCounts.max() ?? 0, sizes.observerModels)
        let name = "with \(Figures.grouped(observers)) observers"
        let baseline = BenchFigure.Baseline(
            "with none", rounds.plain.median ?? 0, ratios: zip(rounds.observed, rounds.plain).map { $0 / $1 })
        let told = BenchFigure.Baseline(
            "with none", rounds.plain.median ?? 0, ratios: zip(rounds.told, rounds.plain).map { $0 / $1 })
        part.figures += [
            BenchFigure(
                "updates applied a second \(name)", rounds.observed.median ?? 0, .perSecond, beside: baseline,
                mark: isLast ? .atLeast(ObserversScenario.ratioMin) : nil),
            BenchFigure("  the same until all were told", rounds.told.median ?? 0, .perSecond, beside: told),
            BenchFigure("  changes told", Double(rounds.changeCount), .count),
        ]
        part.details += [
            BenchFigure("registering an observer, \(name)", registration, .nanoseconds),
            BenchFigure("calls of observers, \(name)", Double(rounds.callCount), .count),
            BenchFigure("folded changes, \(name)", Double(rounds.foldedCount), .count),
        ]
    }
}

/// Observers of one model each, on one queue, and the counts of what they were told.
private final class ObserverTally: Sendable {
    struct Counts {
        var initial = 0
        var calls = 0
        var changes = 0
        var folded = 0
    }

    private struct State {
        var counts = Counts()
        var expected = 0
        var observations: [CacheObservation] = []
        /// How many there were before the last registration.
        var before = 0
        /// By model: the stamp of the last change that its observer was told.
        var last: [Stamp]
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "bench-observers")

    init(models: Int) { state = Mutex(State(last: [Stamp](repeating: 0, count: models))) }

    var counts: Counts { state.withLock { $0.counts } }
    var before: Int { state.withLock { $0.before } }

    /// Adds observers until each of the first `count` models has one.
    func register(_ count: Int, at cache: ModelCache) {
        let before = state.withLock { state in
            state.before = state.observations.count
            return state.before
        }
        guard before < count else { return }
        let new = (before..<count).map { model in
            cache.observe(.model(type: Workload.type, id: NumberedModels.id(model)), on: queue) { [self] changes in
                take(changes, model)
            }
        }
        state.withLock { $0.observations += new }
    }

    func expect(_ changes: Int) { state.withLock { $0.expected += changes } }

    func end() { for observation in state.withLock({ exchange(&$0.observations, with: []) }) { observation.cancel() } }

    private func take(_ changes: ChangeSet, _ model: Int) {
        state.withLock { state in
            if changes.isInitial {
                state.counts.initial += changes.count
            } else {
                state.counts.calls += 1
                state.counts.changes += changes.count
            }
            for change in changes {
                if change.isFolded { state.counts.folded += 1 }
                state.last[model] = change.new?.lastStamp ?? 0
            }
        }
    }

    /// Waits until every observer has its initial state, and every change was told, alone or folded into another.
    /// - Throws: ``BenchError`` when more changes were told than made, or not all within a minute.
    func awaitTold() throws {
        let deadline = MonotonicClock.nanoseconds + 60_000_000_000
        while true {
            let (counts, expected, observers) = state.withLock { ($0.counts, $0.expected, $0.observations.count) }
            guard counts.changes <= expected else {
                throw BenchError("observers were told \(counts.changes) of \(expected) changes; no figure counts")
            }
            let isAllTold = counts.changes == expected || (counts.folded > 0 && isQuiet(since: counts.calls))
            if counts.initial == observers, isAllTold { return }
            guard MonotonicClock.nanoseconds < deadline else {
                throw BenchError(
                    "observers were told \(counts.changes) of \(expected) changes, and \(counts.initial) of "
                        + "\(observers) initial states, within 60 s")
            }
            MonotonicClock.sleep(until: MonotonicClock.nanoseconds + 200_000)
        }
    }

    /// True when the queue has had nothing to do for 20 ms.
    private func isQuiet(since calls: Int) -> Bool {
        MonotonicClock.sleep(until: MonotonicClock.nanoseconds + 20_000_000)
        queue.sync {}
        return state.withLock { $0.counts.calls == calls }
    }

    /// Checks that the last change of each observer is the one that the cache holds.
    func requireLast(of cache: ModelCache) throws {
        let (last, count) = state.withLock { ($0.last, $0.observations.count) }
        for model in 0..<count where cache[Workload.type, NumberedModels.id(model)]?.lastStamp != last[model] {
            throw BenchError("an observer was not told the last change of its model; no figure counts")
        }
    }
}
