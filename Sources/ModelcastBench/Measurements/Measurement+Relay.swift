/// A relay between the publisher and the subscriber.
extension Measurement {
    func measureRelay() async throws -> BenchPart {
        var part = BenchPart(.relay)
        tell("three processes are started")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        let (relay, relayEndpoint) = try await start("bench relay", .relay(plan, endpoint: endpoint))
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: relayEndpoint))
        _ = try await joined(subscriber, models: plan.models)
        var holes: UInt64 = 0
        for (name, batch, run) in [("\(plan.batch) a call", plan.batch, 1), ("one call each", 1, 2)] {
            tell(name)
            let before = try await state(relay)
            let round = try await throughput(
                publisher, subscriber, batch: batch, run: run, updates: plan.relayedUpdates)
            try await requireEqual(publisher, relay, after: "the round through a relay")
            let after = try await state(relay)
            holes += round.holes
            let processor = (after.processorSeconds - before.processorSeconds) * 1e9 / round.updates
            part.figures += [
                BenchFigure("updates through a relay, \(name)", round.updatesPerSecond, .perSecond),
                BenchFigure("processor time an update, relay, \(name)", processor, .nanoseconds),
                BenchFigure("updates a frame, \(name)", round.updatesPerFrame, .count),
            ]
            part.curves.append(BenchCurve("through a relay, \(name)", .throughput, round.points))
        }
        part.figures.append(BenchFigure("holes", Double(holes), .count))
        return part
    }
}
