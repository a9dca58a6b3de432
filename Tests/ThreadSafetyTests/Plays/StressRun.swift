import Foundation
import Testing

/// The size and the seed of a run: MODELCAST_STRESS_OPERATIONS and MODELCAST_SEED.
enum StressRun {
    private static let environment = ProcessInfo.processInfo.environment

    /// How many operations the clients of one play do together. A debug build (as
    /// that for a sanitizer) does half.
    static let operationCount = environment["MODELCAST_STRESS_OPERATIONS"].flatMap { Int($0) } ?? usualCount
    #if DEBUG
        private static let usualCount = 4_000
    #else
        private static let usualCount = 8_000
    #endif
    private static let seed = environment["MODELCAST_SEED"].flatMap { UInt64($0) } ?? 1

    /// How many operations each of `clients` does.
    static func share(of clients: Int) -> Int { max(operationCount / clients, 1) }

    /// Plays once, and tells the seed and what the violation consists of where there is one.
    static func play(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: (UInt64) async throws -> Int
    ) async {
        let line = "MODELCAST_STRESS_OPERATIONS=\(operationCount) Scripts/stress --minutes 5 --seed \(seed)"
        do {
            let count = try await body(seed)
            print("ThreadSafetyTests: \(name): \(count) operations, MODELCAST_SEED=\(seed)")
        } catch {
            Issue.record(
                "\(error)\nseed \(seed); threads differ from run to run, so it may take some plays: \(line)",
                sourceLocation: sourceLocation)
        }
    }
}
