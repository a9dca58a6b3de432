import Modelcast

/// The relay process of the measurement.
struct BenchRelay: Sendable {
    private let relay: Relay

    /// - Parameters:
    ///   - endpoint: the publisher that it listens to; nil for one that is only pushed to.
    ///   - store: a file in which it makes pushes durable; nil for none.
    init(_ plan: BenchPlan, endpoint: String?, store: String?) throws {
        var configuration = RelayConfiguration(
            name: "bench-relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"),
            publishers: endpoint.map { [$0] } ?? [])
        configuration.queueByteCount = plan.queueMebibytes << 20
        configuration.subscriberQueueByteCount = plan.queueMebibytes << 20
        configuration.store = store
        relay = try Relay(configuration, logger: Worker.logger("bench-relay"))
    }

    func run() async throws {
        let link = ParentLink<BenchOrder, BenchReply>()
        try await Worker.untilFirstEnds([
            { try await relay.run() },
            {
                link.tell(.ready(endpoint: try await relay.boundEndpoints.control))
                for await order in link.orders {
                    guard case .state = order else { throw BenchError("a relay does not know the order \(order)") }
                    link.tell(.state(state()))
                }
            },
        ])
    }

    private func state() -> BenchReply.State {
        let status = relay.status
        let counters = status.replicaCounters
        return BenchReply.State(
            models: relay.cache.count(of: Workload.type),
            digest: Digests.text(relay.cache.digest(of: Workload.type)), isLive: status.isLive,
            appliedUpdates: counters[.appliedUpdates] + counters[.unchangedUpdates],
            appliedBatches: counters[.appliedBatches], holesFound: counters[.holesFound],
            counters: Dictionary(uniqueKeysWithValues: counters.nonZero.map { ($0.name.label, $0.value) }),
            processorSeconds: ProcessFigures.processorSeconds)
    }
}
