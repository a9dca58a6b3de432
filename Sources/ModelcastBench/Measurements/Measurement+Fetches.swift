/// Reading models of a sender that has a million, by a subscriber that takes nothing by itself.
extension Measurement {
    /// The most that the first read after a start may take.
    private static let firstReadSeconds = 0.05
    /// How many models are read one after the other, and by many tasks; fewer where there are few models.
    private static let (aloneCount, manyCount) = (2_000, 20_000)
    private static let askerCount = 64

    func measureFetches() async throws -> BenchPart {
        let plan = plan.with(models: plan.largeModels)
        var part = BenchPart(.fetch)
        tell("\(Figures.grouped(plan.models)) models are published")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        var (first, whole): ([Double], [Double]) = ([], [])
        var loads: [BenchReply.Fetched] = []
        let rounds = max(1, min(plan.rounds, 3))
        for round in 1...rounds {
            tell("round \(round) of \(rounds)")
            let (eager, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
            whole.append(try await joined(eager, models: plan.models).seconds)
            await end(eager)
            let task = BenchTask.subscriber(plan, endpoint: endpoint, isLazy: true)
            let (lazy, _) = try await start("bench lazy subscriber", task)
            first.append(try await fetched(lazy, count: 1, askers: 1).seconds)
            let part = (plan.models - 1) / 2
            loads.append(try await fetched(lazy, count: min(Measurement.aloneCount, part), askers: 1))
            loads.append(
                try await fetched(lazy, count: min(Measurement.manyCount, part), askers: Measurement.askerCount))
            await end(lazy)
        }
        let (alone, many) = (loads.filter { $0.askers == 1 }, loads.filter { $0.askers > 1 })
        func middle(_ loads: [BenchReply.Fetched], _ value: (BenchReply.Fetched) -> Double) -> Double {
            loads.map(value).median ?? 0
        }
        let (firstSeconds, wholeSeconds) = (first.median ?? 0, whole.median ?? 0)
        part.figures = [
            BenchFigure(
                "from the start to the first model of \(Figures.grouped(plan.models))", firstSeconds, .seconds,
                mark: .atMost(Measurement.firstReadSeconds)),
            BenchFigure(
                "the same, beside joining with all", firstSeconds, .seconds,
                beside: BenchFigure.Baseline("joining with all", wholeSeconds, ratio: firstSeconds / wholeSeconds)),
            BenchFigure("fetches a second, one after the other", middle(alone) { $0.perSecond }, .perSecond),
            BenchFigure("a fetch, median", middle(alone) { $0.latency.median }, .microseconds),
            BenchFigure("a fetch, 99th percentile", middle(alone) { $0.latency.percentile99 }, .microseconds),
            BenchFigure(
                "fetches a second of \(Measurement.askerCount) tasks", middle(many) { $0.perSecond }, .perSecond),
            BenchFigure(
                "a fetch of \(Measurement.askerCount) tasks, 99th percentile", middle(many) { $0.latency.percentile99 },
                .microseconds),
        ]
        return part
    }

    private func fetched(_ subscriber: Process, count: Int, askers: Int) async throws -> BenchReply.Fetched {
        let order = BenchOrder.fetch(count: count, askers: askers)
        guard case .fetched(let fetched) = try await subscriber.ask(order, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        return fetched
    }
}
