/// A million models that a hundred publishers keep alive, beside as many that nobody has to.
extension Measurement {
    /// The most processor time a second that leases may add, at publishers and subscriber together.
    private static let addedMax = 0.05

    func measureLeases() async throws -> BenchPart {
        let sizes = plan.sizes
        var part = BenchPart(.leases)
        let leased = try await keeping(isLeased: true)
        let free = try await keeping(isLeased: false)
        let added = max(leased.publishers + leased.subscriber - free.publishers - free.subscriber, 0)
        func figure(_ name: String, _ side: (LeaseCost) -> Double) -> BenchFigure {
            BenchFigure(
                name, side(leased), .seconds,
                beside: BenchFigure.Baseline(
                    "without leases", side(free), ratio: side(leased) / max(side(free), 0.000_1)))
        }
        part.figures = [
            figure("processor time a second, \(sizes.leasePublishers) publishers") { $0.publishers },
            figure("processor time a second, their subscriber") { $0.subscriber },
            BenchFigure(
                "processor time a second that leases add", added, .seconds, mark: .atMost(Measurement.addedMax)),
        ]
        part.notes = [
            "Leases: \(Figures.grouped(sizes.leaseModels)) models of \(sizes.leasePublishers) publishers in one "
                + "process, leased for \(LeaseHolders.lease), and nothing is written, over "
                + "\(Figures.fixed(sizes.leaseSeconds, 0)) s. At the end every model is there."
        ]
        return part
    }

    /// Processor time a second.
    private struct LeaseCost {
        let publishers: Double
        let subscriber: Double
    }

    private func keeping(isLeased: Bool) async throws -> LeaseCost {
        let sizes = plan.sizes
        tell("\(Figures.grouped(sizes.leaseModels)) models, \(isLeased ? "leased" : "for good")")
        let (holders, endpoints) = try await start("bench lease holders", .leaseHolders(sizes, isLeased: isLeased))
        guard case .populated = try await holders.ask(.populate, within: .seconds(300)) else {
            throw unexpected(holders.name)
        }
        let (subscriber, _) = try await start("bench subscriber", .subscriber(plan, endpoint: endpoints))
        _ = try await joined(subscriber, models: sizes.leaseModels)
        // The work that the join has left behind is done by then.
        try await Task.sleep(for: .seconds(2))
        let before = (try await processor(holders), try await processor(subscriber))
        try await Task.sleep(for: .seconds(sizes.leaseSeconds))
        let after = (try await processor(holders), try await processor(subscriber))
        guard case .state(let state) = try await subscriber.ask(.state, within: .seconds(20)),
            state.models == sizes.leaseModels
        else { throw BenchError("not all models were kept alive") }
        await end(subscriber)
        await end(holders)
        return LeaseCost(
            publishers: (after.0 - before.0) / sizes.leaseSeconds,
            subscriber: (after.1 - before.1) / sizes.leaseSeconds)
    }
}
