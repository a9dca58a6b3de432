/// A relay between the publisher and the subscriber.
extension Measurement {
    func measureRelay() async throws {
        tell("throughput through a relay: three processes")
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        let (relay, relayEndpoint) = try await start("bench relay", .relay(plan, endpoint: endpoint))
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: relayEndpoint))
        _ = try await joined(subscriber, models: plan.models)
        var figures = BenchResult.Relay()
        for (kind, batch, run) in [(\BenchResult.Relay.single, 1, 1), (\BenchResult.Relay.batched, plan.batch, 2)] {
            let before = try await state(relay)
            let round = try await throughput(
                publisher, subscriber, batch: batch, run: run, updates: plan.relayedUpdates)
            try await requireEqual(publisher, relay, after: "the round through a relay")
            let after = try await state(relay)
            result.holes += round.holes
            figures[keyPath: kind] = BenchResult.Relay.Figures(
                updatesPerSecond: round.updatesPerSecond,
                relayNanoseconds: (after.processorSeconds - before.processorSeconds) * 1e9 / round.updates,
                updatesPerFrame: round.updatesPerFrame)
        }
        result.relay = figures
        await end()
    }
}
