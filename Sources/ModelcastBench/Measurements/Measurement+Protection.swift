/// Updates applied a second with CURVE, beside the same load without; under grants, beside CURVE alone; and signed,
/// beside grants alone.
extension Measurement {
    /// The figures, and the holes that were found.
    typealias ProtectedFigures = (figures: [BenchFigure], holes: UInt64)

    /// - Parameter plain: the pair without keys, with the canonical observers. It takes turns with a pair with keys,
    ///   that with one whose keys have grants, and that with one that signs.
    func measureProtection(beside plain: Pair) async throws -> ProtectedFigures {
        let curve = try await startProtected(.keys)
        let first = try await measure(
            curve, "CURVE", beside: plain, "without CURVE", mark: .atLeast(0.6), run: 1_000)
        let grants = try await startProtected(.grants)
        let second = try await measure(
            grants, "grants", beside: curve, "CURVE without grants", mark: .atLeast(0.98), run: 2_000)
        let signatures = try await startProtected(.signatures)
        let third = try await measure(
            signatures, "signatures", beside: grants, "grants without signatures", mark: .atLeast(0.85), run: 3_000)
        return (
            first.figures + second.figures + third.figures, first.holes + second.holes + third.holes
        )
    }

    private func startProtected(_ protection: BenchProtection) async throws -> Pair {
        let pair = try await startPair(plan, protection: protection)
        try await observeCanonically(pair.subscriber)
        return pair
    }

    /// Measures the throughput of a pair in turns with another.
    /// - Parameter run: a number; it and those after it are no other run's of the scenario.
    private func measure(
        _ pair: Pair, _ name: String, beside plain: Pair, _ other: String, mark: BenchFigure.Mark, run: Int
    ) async throws -> ProtectedFigures {
        func round(_ number: Int, of pair: Pair) async throws -> Round {
            try await throughput(
                pair.publisher, pair.subscriber, batch: plan.batch, run: run + number, isObserved: true)
        }
        var (rates, rounds, baselines) = (BenchRounds(), [Round](), [Round]())
        tell("\(plan.batch) a call, \(other)")
        baselines.append(try await round(0, of: plain))
        rates.add(baseline: baselines[0].updatesPerSecond)
        for number in 1...max(1, plan.rounds) {
            tell("\(plan.batch) a call, \(name) · round \(number) of \(plan.rounds)")
            let figures = try await round(number, of: pair)
            baselines.append(try await round(number, of: plain))
            let (before, after) = (baselines[number - 1].updatesPerSecond, baselines[number].updatesPerSecond)
            rates.add(figures.updatesPerSecond, around: 2 / (1 / before + 1 / after))
            rates.add(baseline: after)
            rounds.append(figures)
        }
        func cost(_ side: String, _ path: KeyPath<Round, Double>) -> BenchFigure {
            BenchFigure(
                "processor time an update, \(side), \(plan.batch) a call, \(name)",
                rounds.map { $0[keyPath: path] }.median ?? 0, .nanoseconds, against: other,
                baselines.map { $0[keyPath: path] }.median ?? 0)
        }
        let figures = [
            BenchFigure(
                "updates applied, \(plan.batch) a call, \(name)", .perSecond, rates, against: other, mark: mark),
            cost("publisher", \.publisherNanoseconds), cost("subscriber", \.subscriberNanoseconds),
            BenchFigure(
                "updates a frame, \(plan.batch) a call, \(name)", rounds.map(\.updatesPerFrame).median ?? 0, .count),
        ]
        return (figures, (rounds + baselines).reduce(0) { $0 + $1.holes })
    }
}
