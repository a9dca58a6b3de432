import Dispatch
import ModelcastSimulation
import Synchronization

/// Plays many seeds, some at a time, until all are played, the time is up, or one has failed.
struct SeedSeries {
    /// The seeds that the series may play, from the least on.
    let range: ClosedRange<UInt64>
    /// The time after which no more seeds begin; nil for no limit.
    let seconds: Double?
    /// How many seeds are played at a time.
    let jobs: Int
    let sabotage: Sabotage?
    /// Whether heads carry digests; nil for the default of ``Scenario``.
    let hasDigests: Bool?
    let features: Set<Scenario.Feature>
    /// Whether the series goes on after a failure.
    let keepsGoing: Bool

    private struct State {
        /// The seed to play next; nil when all have begun.
        var next: UInt64?
        var summary = Summary()
        var nextReport = 10.0
    }

    /// The text of a range of seeds.
    static func name(_ range: ClosedRange<UInt64>) -> String {
        let (first, last) = (range.lowerBound, range.upperBound)
        return first == last ? "seed \(first)" : "seeds \(first) to \(last)"
    }

    /// Plays the seeds, on threads of Dispatch and the calling thread.
    /// - Parameter report: receives a line of progress every ten seconds, and one for each failure where the series
    ///   goes on after failures. Called on any of these threads.
    func run(_ report: @Sendable (String) -> Void) -> Summary {
        let state = Mutex(State(next: range.lowerBound))
        let began = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let seed = next(state, elapsed: ContinuousClock.now - began) {
                let start = ContinuousClock.now
                let result = Scenario(
                    seed: seed, sabotage: sabotage, hasDigests: hasDigests, features: features
                ).run()
                let now = ContinuousClock.now
                let line = state.withLock { state -> String? in
                    state.summary.add(result, took: now - start)
                    state.summary.elapsed = now - began
                    guard (now - began) / .seconds(1) >= state.nextReport else { return nil }
                    state.nextReport += 10
                    return state.summary.progress
                }
                if let line { report(line) }
                if keepsGoing, let failure = result.failure { report("FAILED: \(failure)") }
            }
        }
        return state.withLock { $0.summary }
    }

    private func next(_ state: borrowing Mutex<State>, elapsed: Duration) -> UInt64? {
        state.withLock { state in
            guard keepsGoing || state.summary.failure == nil, let seed = state.next else { return nil }
            if let seconds, elapsed / .seconds(1) >= seconds { return nil }
            state.next = seed < range.upperBound ? seed + 1 : nil
            return seed
        }
    }
}
