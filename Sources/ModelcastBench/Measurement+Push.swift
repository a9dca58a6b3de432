/// Updates that are pushed to a relay, in batches, each of which it acknowledges.
extension Measurement {
    func measurePush() async throws {
        tell("pushing \(Figures.grouped(plan.pushedUpdates)) updates to a relay")
        let (relay, endpoint) = try await start("bench relay", .relay(plan, endpoint: nil))
        let (pusher, _) = try await start("bench pusher", .pusher(plan, relay: endpoint))
        try await fill(pusher)
        _ = try await acknowledged(pusher)
        let before = (try await state(pusher), try await state(relay))
        let order = BenchOrder.publish(count: plan.pushedUpdates, batch: plan.batch, run: 1)
        guard case .published(let published) = try await pusher.ask(order, within: .seconds(180)) else {
            throw unexpected(pusher.name)
        }
        let end = try await acknowledged(pusher)
        try await requireEqual(pusher, relay, after: "the push")
        let after = (try await state(pusher), try await state(relay))
        let updates = Double(published.count)
        result.push = BenchResult.Push(
            updatesPerSecond: updates * 1e9 / Double(end - published.startNanoseconds), updates: published.count,
            pusherNanoseconds: (after.0.processorSeconds - before.0.processorSeconds) * 1e9 / updates,
            relayNanoseconds: (after.1.processorSeconds - before.1.processorSeconds) * 1e9 / updates)
        await self.end()
    }

    private func acknowledged(_ pusher: Process) async throws -> UInt64 {
        guard case .acknowledged(let time) = try await pusher.ask(.awaitAcknowledged, within: .seconds(180)) else {
            throw unexpected(pusher.name)
        }
        return time
    }
}
