import ModelcastSimulation

/// The summary of the scenarios that were played.
struct Summary: Sendable {
    private(set) var seedCount = 0
    private(set) var failureCount = 0
    /// The range from the least seed that was played to the greatest; nil before the first is played.
    private var range: ClosedRange<UInt64>?
    /// The failure of the least seed that failed.
    private(set) var failure: SimulationFailure?
    var elapsed = Duration.zero
    private var faults = FaultTally()
    private var counters: [String: UInt64] = [:]
    private var simulatedMilliseconds: UInt64 = 0
    private var events = 0
    private var batches = 0
    private var updates = 0
    private var slowest: (seed: UInt64, took: Duration) = (0, .zero)
    private var longest: (seed: UInt64, milliseconds: UInt64) = (0, 0)

    init() {}

    init(_ result: Scenario.SeedResult) { add(result, took: .zero) }

    mutating func add(_ result: Scenario.SeedResult, took: Duration) {
        seedCount += 1
        let seed = result.seed
        range = range.map { min($0.lowerBound, seed)...max($0.upperBound, seed) } ?? seed...seed
        if let new = result.failure, new.seed < failure?.seed ?? .max { failure = new }
        if result.failure != nil { failureCount += 1 }
        faults += result.faults
        counters.merge(result.counters, uniquingKeysWith: +)
        simulatedMilliseconds += result.simulatedMilliseconds
        events += result.eventCount
        batches += result.batchCount
        updates += result.updateCount
        if took > slowest.took { slowest = (result.seed, took) }
        if result.simulatedMilliseconds > longest.milliseconds {
            longest = (result.seed, result.simulatedMilliseconds)
        }
    }

    private var seconds: Double { elapsed / .seconds(1) }

    private var rate: String { seconds > 0 ? ", \(Int(Double(seedCount) / seconds)) a second" : "" }

    var progress: String { "\(seedCount) seeds in \(Int(seconds)) s\(rate)" }

    /// The table at the end.
    var text: String {
        let name = range.map { SeedSeries.name($0) } ?? "no seeds"
        var lines = ["\(name): \(seedCount) played in \(Int(seconds)) s\(rate), \(failureCount) failed", ""]
        var rows: [(String, String)] = [
            ("simulated seconds", "\(simulatedMilliseconds / 1000)"), ("events", "\(events)"),
            ("batches published", "\(batches)"), ("updates published", "\(updates)"), ("", ""),
        ]
        for kind in FaultTally.Kind.allCases { rows.append((kind.rawValue, "\(faults[kind])")) }
        rows.append(("", ""))
        for (name, value) in counters.sorted(by: { $0.key < $1.key }) {
            rows.append((name.split(separator: "_").joined(separator: " "), "\(value)"))
        }
        if elapsed > .zero {
            rows.append(("", ""))
            rows.append(("slowest seed", "\(slowest.seed), \(Int(slowest.took / .milliseconds(1))) ms"))
        }
        rows.append(("longest to rest", "seed \(longest.seed), \(longest.milliseconds) ms"))
        for (name, value) in rows {
            let padding = String(repeating: " ", count: max(1, 36 - name.count))
            lines.append(name.isEmpty ? "" : "  \(name)\(padding)\(value)")
        }
        return lines.joined(separator: "\n")
    }
}
