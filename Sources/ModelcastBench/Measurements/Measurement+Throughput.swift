/// Updates applied a second, beside messages of raw libzmq; updates with CURVE, beside those without; and under grants.
extension Measurement {
    /// The results of the rounds of one kind.
    private struct Kind {
        let name: String
        let batch: Int
        var rates = BenchRounds()
        var rounds: [Round] = []
    }

    func measureThroughput() async throws -> BenchPart {
        var part = BenchPart(.throughput)
        let memory = MemorySampler()
        let pair = try await startPair(plan, memory: memory)
        try await observeCanonically(pair.subscriber)
        let generate = BenchOrder.generate(count: 1_000_000)
        guard case .generated(let generated) = try await pair.publisher.ask(generate, within: .seconds(60)) else {
            throw unexpected(pair.publisher.name)
        }
        var kinds = [Kind(name: "\(plan.batch) a call", batch: plan.batch), Kind(name: "one call each", batch: 1)]
        tell("raw libzmq")
        var raw = [try await rawThroughput()]
        for index in kinds.indices { kinds[index].rates.add(baseline: raw[0].perSecond) }
        for round in 1...max(1, plan.rounds) {
            for index in kinds.indices {
                tell("\(kinds[index].name) · round \(round) of \(plan.rounds)")
                let figures = try await throughput(
                    pair.publisher, pair.subscriber, batch: kinds[index].batch, run: 2 * round + index,
                    isObserved: true)
                let (before, after) = (raw[raw.count - 1], try await rawThroughput())
                raw.append(after)
                // The harmonic mean: the rate of one round with as many messages before as after.
                let around = 2 / (1 / before.perSecond + 1 / after.perSecond)
                kinds[index].rates.add(figures.updatesPerSecond, around: around)
                kinds[index].rounds.append(figures)
                for other in kinds.indices { kinds[other].rates.add(baseline: after.perSecond) }
            }
        }
        let protected = try await measureProtection(beside: pair)
        for kind in kinds { part.figures += figures(kind, raw) }
        part.figures += protected.figures
        part.figures += [
            BenchFigure("holes", Double(kinds.flatMap(\.rounds).reduce(protected.holes) { $0 + $1.holes }), .count),
            BenchFigure("the load's own loop, an update", generated * 1000, .nanoseconds),
        ]
        part.figures += figures(pair)
        part.curves = curves(kinds, raw) + memory.end()
        return part
    }

    private func figures(_ kind: Kind, _ raw: [RawRound]) -> [BenchFigure] {
        let middle = { (path: KeyPath<Round, Double>) in kind.rounds.map { $0[keyPath: path] }.median ?? 0 }
        return [
            BenchFigure(
                "updates applied, \(kind.name)", .perSecond, kind.rates, against: "raw libzmq", mark: .atLeast(1)),
            BenchFigure(
                "processor time an update, publisher, \(kind.name)", middle(\.publisherNanoseconds), .nanoseconds,
                against: "raw libzmq", raw.map(\.senderNanoseconds).median ?? 0),
            BenchFigure(
                "processor time an update, subscriber, \(kind.name)", middle(\.subscriberNanoseconds), .nanoseconds,
                against: "raw libzmq", raw.map(\.receiverNanoseconds).median ?? 0),
            BenchFigure("updates a frame, \(kind.name)", middle(\.updatesPerFrame), .count),
            BenchFigure("changes told of the type, \(kind.name)", middle(\.toldOfType), .count),
            BenchFigure("changes told that stand for several, \(kind.name)", middle(\.toldFolded), .count),
            BenchFigure(
                "bytes on the wire an update, all headers, \(kind.name)", middle(\.wireBytesPerUpdate), .bytes),
            BenchFigure(
                "outbox full, \(kind.name)", Double(kind.rounds.reduce(0) { $0 + $1.backPressured }), .count),
        ]
    }

    /// The figures that were measured while the pair started.
    private func figures(_ pair: Pair) -> [BenchFigure] {
        let models = Double(pair.joined.models)
        return [
            BenchFigure(
                "publishing a whole model for the first time", pair.populateSeconds * 1e9 / models, .nanoseconds),
            BenchFigure("joining with \(Figures.grouped(pair.joined.models)) models", pair.joined.seconds, .seconds),
            BenchFigure("a model in resident memory", Double(pair.joined.residentByteCount) / models, .bytes),
            BenchFigure("a model as an encoded record", Double(pair.joined.encodedByteCount) / models, .bytes),
        ]
    }

    /// The curve of each kind, from the round with the median rate.
    private func curves(_ kinds: [Kind], _ raw: [RawRound]) -> [BenchCurve] {
        var curves: [BenchCurve] = []
        for kind in kinds {
            let round = kind.rounds.first { $0.updatesPerSecond == kind.rates.values.median }
            if let round { curves.append(BenchCurve("Modelcast, \(kind.name)", .throughput, round.points)) }
        }
        let round = raw.first { $0.perSecond == raw.map(\.perSecond).median }
        if let round { curves.append(BenchCurve("raw libzmq", .throughput, round.points)) }
        return curves
    }
}

extension Measurement.Round {
    fileprivate var toldOfType: Double { Double(told?.ofType ?? 0) }
    fileprivate var toldFolded: Double { Double(told?.folded ?? 0) }
}
