/// Joining with many models, beside the same bytes over raw libzmq.
extension Measurement {
    /// The size of one chunk of a publisher's snapshot.
    private static let chunkByteCount = 128 * 1024

    func measureLargeJoin() async throws -> BenchPart {
        let plan = plan.with(models: plan.largeModels)
        var part = BenchPart(.join)
        tell("\(Figures.grouped(plan.models)) models are published")
        let memory = MemorySampler()
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        memory.watch(publisher.processIdentifier, named: "publisher")
        try await fill(publisher)
        var rounds: [Join] = []
        var compared = BenchRounds()
        var before: Double?
        for round in 1...max(1, min(plan.rounds, 3)) {
            tell("round \(round) of \(max(1, min(plan.rounds, 3)))")
            let join = try await measureJoin(publisher, endpoint, plan, round == 1 ? memory : nil)
            // The join tells how many bytes raw libzmq has to move.
            let raw = try await rawBulk(
                byteCount: join.joined.encodedByteCount, chunkByteCount: Measurement.chunkByteCount)
            compared.add(baseline: raw)
            compared.add(join.joined.seconds, around: ((before ?? raw) + raw) / 2)
            rounds.append(join)
            before = raw
        }
        part.curves = memory.end()
        let middle = { (path: KeyPath<Join, Double>) in rounds.map { $0[keyPath: path] }.median ?? 0 }
        let models = Double(plan.models)
        part.figures = [
            BenchFigure(
                "joining with \(Figures.grouped(plan.models)) models", .seconds, compared,
                against: "raw libzmq, the same bytes"),
            BenchFigure("processor time a model, publisher", middle(\.publisherNanoseconds), .nanoseconds),
            BenchFigure("processor time a model, subscriber", middle(\.subscriberNanoseconds), .nanoseconds),
            BenchFigure("a model as an encoded record", middle(\.encodedByteCount) / models, .bytes),
            BenchFigure("a model in resident memory", middle(\.residentByteCount) / models, .bytes),
        ]
        return part
    }

    /// The cost of one join.
    private struct Join {
        let joined: BenchReply.Joined
        let publisherNanoseconds: Double
        let subscriberNanoseconds: Double
        var encodedByteCount: Double { Double(joined.encodedByteCount) }
        var residentByteCount: Double { Double(joined.residentByteCount) }
    }

    /// Measures one subscriber that joins and ends.
    private func measureJoin(
        _ publisher: Process, _ endpoint: String, _ plan: BenchPlan, _ memory: MemorySampler?
    ) async throws -> Join {
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
        memory?.watch(subscriber.processIdentifier, named: "subscriber of the first round")
        let before = (try await state(publisher), try await state(subscriber))
        let joined = try await joined(subscriber, models: plan.models)
        let after = (try await state(publisher), try await state(subscriber))
        try await requireEqual(publisher, subscriber, after: "the join with many models")
        await end(subscriber)
        let models = Double(plan.models)
        return Join(
            joined: joined,
            publisherNanoseconds: (after.0.processorSeconds - before.0.processorSeconds) * 1e9 / models,
            subscriberNanoseconds: (after.1.processorSeconds - before.1.processorSeconds) * 1e9 / models)
    }
}
