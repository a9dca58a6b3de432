import Modelcast

extension BenchSubscriber {
    /// Fetches models that have not been fetched before, so that each travels. The first call begins to run.
    /// - Parameter askers: how many tasks fetch at a time, one model each.
    func fetch(count: Int, askers: Int) async throws -> BenchReply.Fetched {
        let start = MonotonicClock.nanoseconds
        listen()
        let subscriber = subscriber
        let ids = Array(try nextIDs(count))
        let latencies = LatencyHistogram()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for asker in 0..<askers {
                group.addTask {
                    for index in stride(from: asker, to: ids.count, by: askers) {
                        let begin = MonotonicClock.nanoseconds
                        guard try await subscriber.fetch(Workload.type, ids[index]) != nil else {
                            throw BenchError("\(ids[index]) was not found")
                        }
                        latencies.record(MonotonicClock.nanoseconds - begin)
                    }
                }
            }
            try await group.waitForAll()
        }
        return BenchReply.Fetched(
            askers: askers, seconds: Double(MonotonicClock.nanoseconds - start) / 1e9, count: count,
            latency: latencies.summary)
    }
}
