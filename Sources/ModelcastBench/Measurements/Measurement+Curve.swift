/// Updates applied a second with CURVE, beside the same load without.
extension Measurement {
    /// Measures throughput with CURVE.
    /// - Parameter plain: the pair without keys, with the canonical observers. It takes turns with a pair with keys.
    /// - Returns: the figures, and the holes that were found.
    func measureCurve(beside plain: Pair) async throws -> (figures: [BenchFigure], holes: UInt64) {
        let pair = try await startPair(plan, hasKeys: true)
        try await observeCanonically(pair.subscriber)
        var (rates, rounds, baselines) = (BenchRounds(), [Round](), [Round]())
        tell("\(plan.batch) a call, without CURVE")
        baselines.append(try await curveRound(0, of: plain))
        rates.add(baseline: baselines[0].updatesPerSecond)
        for round in 1...max(1, plan.rounds) {
            tell("\(plan.batch) a call, CURVE · round \(round) of \(plan.rounds)")
            let figures = try await curveRound(round, of: pair)
            baselines.append(try await curveRound(round, of: plain))
            let (before, after) = (baselines[round - 1].updatesPerSecond, baselines[round].updatesPerSecond)
            rates.add(figures.updatesPerSecond, around: 2 / (1 / before + 1 / after))
            rates.add(baseline: after)
            rounds.append(figures)
        }
        func cost(_ name: String, _ path: KeyPath<Round, Double>) -> BenchFigure {
            BenchFigure(
                "processor time an update, \(name), \(plan.batch) a call, CURVE",
                rounds.map { $0[keyPath: path] }.median ?? 0, .nanoseconds, against: "without CURVE",
                baselines.map { $0[keyPath: path] }.median ?? 0)
        }
        let figures = [
            BenchFigure(
                "updates applied, \(plan.batch) a call, CURVE", .perSecond, rates, against: "without CURVE",
                mark: .atLeast(0.6)),
            cost("publisher", \.publisherNanoseconds), cost("subscriber", \.subscriberNanoseconds),
            BenchFigure(
                "updates a frame, \(plan.batch) a call, CURVE", rounds.map(\.updatesPerFrame).median ?? 0, .count),
        ]
        return (figures, (rounds + baselines).reduce(0) { $0 + $1.holes })
    }

    /// One round. Its run has a number that no other run of the scenario has.
    private func curveRound(_ number: Int, of pair: Pair) async throws -> Round {
        try await throughput(pair.publisher, pair.subscriber, batch: plan.batch, run: 1_000 + number, isObserved: true)
    }
}
