/// One publisher and one subscriber that hold the same.
extension Measurement {
    /// The two processes of most scenarios.
    struct Pair {
        let publisher: Process
        let subscriber: Process
        let endpoint: String
        let joined: BenchReply.Joined
        /// What it took to publish all models for the first time.
        let populateSeconds: Double
    }

    /// Starts both, publishes all models of the plan, and lets the subscriber join.
    /// - Parameters:
    ///   - memory: watches both from the start.
    ///   - hasKeys: with CURVE.
    ///   - cores: what the two stay on; nil for where the system puts them.
    func startPair(
        _ plan: BenchPlan, memory: MemoryWatch? = nil, hasKeys: Bool = false, cores: CorePair? = nil
    ) async throws -> Pair {
        tell("\(Figures.grouped(plan.models)) models are published and joined with")
        let (publisher, endpoint) = try await start(
            "bench publisher", .publisher(plan, hasKeys: hasKeys), core: cores?.sender)
        memory?.watch(publisher.processIdentifier, named: "publisher")
        let seconds = try await fill(publisher)
        let (subscriber, _) = try await start(
            "bench subscriber", .subscriber(plan, endpoint: endpoint, hasKeys: hasKeys), core: cores?.receiver)
        memory?.watch(subscriber.processIdentifier, named: "subscriber")
        let joined = try await joined(subscriber, models: plan.models)
        return Pair(
            publisher: publisher, subscriber: subscriber, endpoint: endpoint, joined: joined, populateSeconds: seconds)
    }
}
