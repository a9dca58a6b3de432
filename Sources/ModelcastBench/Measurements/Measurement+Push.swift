import Foundation

/// Updates that are pushed to a relay, in batches, each of which it acknowledges.
extension Measurement {
    func measurePushes() async throws {
        try await measurePush(store: nil)
        try await withFolder { try await measurePush(store: $0.appendingPathComponent("relay.store").path) }
    }

    private func measurePush(store: String?) async throws {
        let kind = store == nil ? "without a store" : "with a store"
        tell("pushing \(Figures.grouped(plan.pushedUpdates)) updates to a relay \(kind)")
        let (relay, endpoint) = try await start("bench relay", .relay(plan, endpoint: nil, store: store))
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
        let push = BenchResult.Push(
            updatesPerSecond: updates * 1e9 / Double(end - published.startNanoseconds), updates: published.count,
            isDurable: store != nil,
            pusherNanoseconds: (after.0.processorSeconds - before.0.processorSeconds) * 1e9 / updates,
            relayNanoseconds: (after.1.processorSeconds - before.1.processorSeconds) * 1e9 / updates)
        result.pushes.append(push)
        await self.end()
    }

    private func acknowledged(_ pusher: Process) async throws -> UInt64 {
        guard case .acknowledged(let time) = try await pusher.ask(.awaitAcknowledged, within: .seconds(180)) else {
            throw unexpected(pusher.name)
        }
        return time
    }
}
