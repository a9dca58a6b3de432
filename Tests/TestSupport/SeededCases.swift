import Foundation
public import ModelRecord
public import Testing

/// Runs `body` for many seeds, one after the other, and stops at the first that fails.
///
/// A case fails by throwing, so `body` uses `try #require` or throws ``CaseFailure``, never `#expect`. The seed of the
/// failed case is recorded with the command that runs that case alone. A suite must stand in a file of its own name,
/// because the filter of that command is made from the file's name.
///
/// - Parameters:
///   - count: how many cases a release build runs; a debug build runs a tenth, and `MODELCAST_CASE_PERCENT` says how
///     much of either. `MODELCAST_CASES` overrides all.
///   - firstSeed: the seed of the first case; each further case has the next number. `MODELCAST_SEED` overrides it.
///   - body: the case; it receives the seed, and a generator that starts from it.
public func forEachSeed(
    _ count: Int, from firstSeed: UInt64 = 1, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (UInt64, inout SeededGenerator) throws -> Void
) {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["MODELCAST_SEED"].flatMap { UInt64($0) } ?? firstSeed
    let cases = environment["MODELCAST_CASES"].flatMap { Int($0) } ?? scaled(count)
    let suite = sourceLocation.fileName.prefix { $0 != "." }
    print("\(suite), line \(sourceLocation.line): \(cases) cases from MODELCAST_SEED=\(first)")
    for index in 0..<max(cases, 1) {
        let seed = first &+ UInt64(index)
        var generator = SeededGenerator(seed: seed)
        do {
            try body(seed, &generator)
        } catch {
            let line = "MODELCAST_SEED=\(seed) MODELCAST_CASES=1 swift test --filter \(suite)"
            Issue.record("seed \(seed) failed: \(error)\nrun it again with: \(line)", sourceLocation: sourceLocation)
            return
        }
    }
}

/// What is wrong with one case of a test.
public struct CaseFailure: Error, CustomStringConvertible {
    /// The fault, as a sentence.
    public let description: String

    /// A failure with this text.
    public init(_ description: String) { self.description = description }
}

/// The number of cases to run. A debug build is some ten times slower, so it runs a tenth of them.
private func scaled(_ count: Int) -> Int {
    let percent = ProcessInfo.processInfo.environment["MODELCAST_CASE_PERCENT"].flatMap { Int($0) } ?? 100
    #if DEBUG
        return max(count * percent / 1000, 1)
    #else
        return max(count * percent / 100, 1)
    #endif
}
