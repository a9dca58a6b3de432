/// Writes of all kinds at a steady rate, with reads, observers and snapshots at the same time.
extension Measurement {
    func measureMixed() async throws -> BenchPart {
        let (rate, seconds) = (plan.sizes.mixedRate, plan.sizes.mixedSeconds)
        tell("filling four types with \(Figures.grouped(plan.sizes.mixedModels)) models")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        guard case .filled = try await publisher.ask(.fillMixed, within: .seconds(120)) else {
            throw unexpected(publisher.name)
        }
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
        _ = try await joined(subscriber, models: 0)
        try await requireEqualTypes(publisher, subscriber)
        tell("\(Figures.grouped(rate)) writes a second for \(Figures.fixed(seconds, 0)) s")
        guard case .mixing = try await subscriber.ask(.beginMixed, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        let before = try await state(subscriber)
        let order = BenchOrder.writeMixed(rate: rate, seconds: seconds)
        guard case .writtenMixed(let writes) = try await publisher.ask(order, within: .seconds(seconds + 120)) else {
            throw unexpected(publisher.name)
        }
        let after = try await state(subscriber)
        // The copies are compared before the observers end, so that they are told all writes but those that still wait.
        try await requireEqualTypes(publisher, subscriber)
        guard case .mixed(let figures) = try await subscriber.ask(.endMixed, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        let applied = Double(after.appliedUpdates - before.appliedUpdates)
        let part = part(writes, figures, applied: applied / writes.seconds, holes: after.holesFound - before.holesFound)
        await end()
        return part
    }

    private func part(
        _ writes: MixedWrites, _ figures: MixedFigures, applied: Double, holes: UInt64
    ) -> BenchPart {
        var part = BenchPart(.mixed)
        part.figures = [
            BenchFigure("updates applied a second", applied, .perSecond),
            BenchFigure("reads a second, 4 queues", Double(figures.reads) / figures.seconds, .perSecond),
            BenchFigure("snapshots a second", Double(figures.snapshots) / figures.seconds, .perSecond),
            BenchFigure("p50, publish to observer of everything", figures.latency.median, .microseconds),
            BenchFigure("p99, publish to observer of everything", figures.latency.percentile99, .microseconds),
        ]
        part.details = [
            BenchFigure("merges", Double(writes.merges), .count),
            BenchFigure("replaces", Double(writes.replaces), .count),
            BenchFigure("deletes", Double(writes.deletes), .count),
            BenchFigure("transactions", Double(writes.transactions), .count),
            BenchFigure("writes that the outbox had no room for at first", Double(writes.backPressured), .count),
            BenchFigure("reads that found a model", Double(figures.found), .count),
            BenchFigure("pairs of a transaction compared in snapshots", Double(figures.pairs), .count),
            BenchFigure("changes told to who observes everything", Double(figures.changes), .count),
            BenchFigure("changes told to who observes a type", Double(figures.typeChanges), .count),
            BenchFigure("changes told to who observes a model", Double(figures.modelChanges), .count),
            BenchFigure("folded changes", Double(figures.folded), .count),
            BenchFigure("holes", Double(holes), .count),
        ]
        part.notes.append(
            "Mixed: four types; 60 % merges of two fields, 15 % replaces, 10 % deletes, 15 % transactions of two "
                + "models. Meanwhile 4 queues read 100 models a millisecond each, a fifth takes a snapshot a "
                + "millisecond and compares \(Figures.grouped(figures.pairs)) pairs in all, none of which was torn; "
                + "observers of everything, a type and a hundred models. Latencies count from when a write was due.")
        return part
    }

    /// Waits until the subscriber holds all types as the publisher does.
    private func requireEqualTypes(_ publisher: Process, _ subscriber: Process) async throws {
        let expected = try await copy(publisher)
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let held = try await copy(subscriber)
            if held == expected {
                equalCopies += 1
                return
            }
            guard ContinuousClock.now < deadline else {
                throw DigestDifference(text: "mixed: the publisher had \(expected), the subscriber \(held)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func copy(_ process: Process) async throws -> [WorkerReport.TypeState] {
        guard case .copy(let types) = try await process.ask(.copy, within: .seconds(60)) else {
            throw unexpected(process.name)
        }
        return types
    }
}
