import Foundation

/// Updates that are pushed to a relay in batches. The relay acknowledges each batch.
extension Measurement {
    func measurePushes() async throws -> BenchPart {
        var part = BenchPart(.push)
        part.figures = try await measurePush("in memory", store: nil)
        part.figures += try await withFolder { folder in
            try await measurePush("durable", store: folder.appendingPathComponent("relay.store").path)
        }
        return part
    }

    private func measurePush(_ kind: String, store: String?) async throws -> [BenchFigure] {
        tell("\(Figures.grouped(plan.pushedUpdates)) updates to a relay, \(kind)")
        let (relay, endpoint) = try await start("bench relay", .relay(plan, endpoint: nil, store: store))
        let (pusher, _) = try await start("bench pusher", .pusher(plan, relay: endpoint))
        try await fill(pusher)
        _ = try await acknowledged(pusher)
        let before = (try await state(pusher), try await state(relay))
        let order = BenchOrder.publish(count: plan.pushedUpdates, batch: plan.batch, run: 1)
        guard case .published(let published) = try await pusher.ask(order, within: .seconds(180)) else {
            throw unexpected(pusher.name)
        }
        let last = try await acknowledged(pusher)
        try await requireEqual(pusher, relay, after: "the push")
        let after = (try await state(pusher), try await state(relay))
        await end()
        let updates = Double(published.count)
        let processor = { (before: BenchReply.State, after: BenchReply.State) in
            (after.processorSeconds - before.processorSeconds) * 1e9 / updates
        }
        return [
            BenchFigure(
                "updates pushed and acknowledged, \(plan.batch) a call, \(kind)",
                updates * 1e9 / Double(last - published.startNanoseconds), .perSecond),
            BenchFigure("processor time an update, pusher, \(kind)", processor(before.0, after.0), .nanoseconds),
            BenchFigure("processor time an update, relay, \(kind)", processor(before.1, after.1), .nanoseconds),
        ]
    }

    private func acknowledged(_ pusher: Process) async throws -> UInt64 {
        guard case .acknowledged(let time) = try await pusher.ask(.awaitAcknowledged, within: .seconds(180)) else {
            throw unexpected(pusher.name)
        }
        return time
    }
}
