/// An observer that sleeps while updates are applied in its process.
extension Measurement {
    func measureSleepingObserver() async throws -> BenchPart {
        let plan = plan.with(models: plan.observedModels)
        var part = BenchPart(.observer)
        tell("asleep while \(Figures.grouped(plan.observedUpdates)) updates are applied")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoint))
        _ = try await joined(subscriber, models: plan.models)
        // The process takes the memory that applying needs now, so that it does not count as growth later.
        _ = try await publish(publisher, subscriber, plan.observedUpdates / 4)
        guard case .asleep = try await subscriber.ask(.observeAsleep, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        let count = try await publish(publisher, subscriber, plan.observedUpdates)
        guard case .woken(let woken) = try await subscriber.ask(.wakeObserver, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        guard woken.isComplete else { throw BenchError("the observer was not told all that it had slept through") }
        part.figures = [
            BenchFigure("updates applied while an observer slept", Double(count), .count),
            BenchFigure("changes that waited for it", Double(woken.changes), .count),
            BenchFigure("of the changes, folded", Double(woken.folded), .count),
            BenchFigure("models", Double(plan.models), .count),
            BenchFigure("the process's memory grew by", Double(woken.grownByteCount) / 1_048_576, .mebibytes),
        ]
        return part
    }

    /// Publishes updates at a rate that the subscriber can follow, so that only the observer's changes pile up.
    private func publish(_ publisher: Process, _ subscriber: Process, _ count: Int) async throws -> Int {
        let seconds = Double(count) / plan.stopRate
        let order = BenchOrder.publishSteadily(rate: plan.stopRate, seconds: seconds, textBytes: 10)
        guard case .steady(let steady) = try await publisher.ask(order, within: .seconds(seconds + 60)) else {
            throw unexpected(publisher.name)
        }
        try await requireEqual(publisher, subscriber, after: "the updates beside an observer")
        return steady.count
    }
}
