/// One publisher and one subscriber that hold the same.
extension Measurement {
    /// The two processes of most scenarios.
    struct Pair {
        let publisher: Process
        let subscriber: Process
        let endpoint: String
        let joined: BenchReply.Joined
        /// The time that publishing all models for the first time took.
        let populateSeconds: Double
    }

    /// Starts both processes, publishes all models of the plan, and lets the subscriber join.
    /// - Parameters:
    ///   - memory: watches the memory of both from the start.
    ///   - cores: the cores that the two stay on; nil to leave that to the system.
    func startPair(
        _ plan: BenchPlan, memory: MemorySampler? = nil, protection: BenchProtection = .nothing, cores: CorePair? = nil
    ) async throws -> Pair {
        tell("\(Figures.grouped(plan.models)) models are published and joined with")
        let (publisher, endpoint) = try await start(
            "bench publisher", .publisher(plan, protection: protection), core: cores?.sender)
        memory?.watch(publisher.processIdentifier, named: "publisher")
        let seconds = try await fill(publisher)
        let (subscriber, _) = try await start(
            "bench subscriber", .subscriber(plan, endpoint: endpoint, protection: protection), core: cores?.receiver)
        memory?.watch(subscriber.processIdentifier, named: "subscriber")
        let joined = try await joined(subscriber, models: plan.models)
        return Pair(
            publisher: publisher, subscriber: subscriber, endpoint: endpoint, joined: joined, populateSeconds: seconds)
    }
}
