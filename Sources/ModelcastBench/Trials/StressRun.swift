/// A stress trial from start to verdict.
public struct StressRun: Sendable {
    let publishers: Int
    let subscribers: Int
    let seconds: Double
    let rate: Double
    let models: Int

    /// - Parameters:
    ///   - seconds: how long the load lasts.
    ///   - rate: writes a second of each publisher.
    ///   - models: how many models all publishers share, and how many each has for itself.
    public init(publishers: Int, subscribers: Int, seconds: Double, rate: Double, models: Int) {
        self.publishers = publishers
        self.subscribers = subscribers
        self.seconds = seconds
        self.rate = rate
        self.models = models
    }

    /// Runs the load, waits until nothing changes any more, compares and prints the table.
    /// - Returns: true when every subscriber holds the join of the publishers' records.
    public func run(
        _ trial: Trial, until interruption: Interruption, tell: @Sendable (String) -> Void
    ) async throws -> Bool {
        var ids: [String: [(type: String, ids: [String])]] = [:]
        for index in 0..<publishers {
            let plan = StressPlan(index: index, models: models, rate: rate)
            let name = "publisher-\(index + 1)"
            ids[name] = plan.ids
            try await trial.addPublisher(name, .stress(plan))
        }
        // Of several subscribers the last one joins when half the time is over.
        for index in 1..<max(2, subscribers) { try await trial.addSubscriber("subscriber-\(index)") }
        tell("\(publishers) publishers, \(subscribers) subscribers, \(Figures.grouped(rate)) writes a second each")
        await trial.begin()
        let start = ContinuousClock.now
        try await watch(trial, for: seconds / 2, until: interruption)
        if subscribers > 1 { try await trial.addSubscriber("subscriber-\(subscribers)") }
        try await watch(trial, for: seconds / 2, until: interruption)
        let loaded = (ContinuousClock.now - start) / .seconds(1)
        tell("coming to rest")
        let isSettled = try await trial.settle(within: .seconds(60))
        if !isSettled { tell("not all subscribers came to rest within 60 s; they are compared as they are") }
        let expected = try await trial.joinOfPublishers(ids: ids)
        let batches = try await trial.batchesSent()
        return await report(trial, expected: expected, batches: batches, loaded: loaded) && isSettled
    }

    private func watch(_ trial: Trial, for seconds: Double, until interruption: Interruption) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end, !interruption.isRequested {
            try await Task.sleep(for: .milliseconds(50))
            try await trial.refresh()
        }
    }

    private func report(
        _ trial: Trial, expected: [WorkerReport.TypeState], batches: [String: UInt64], loaded: Double
    ) async -> Bool {
        let columns = [
            "updates", "/s", "batches", "holes", "filled", "mended", "snapshots", "lag µs p50/p99", "memory", "models",
        ]
        let isEqual = await trial.printVerdict(columns, expected: expected) { member, report in
            let lag = report.lagMedian.map { "\(Figures.grouped($0))/\(Figures.grouped(report.lag99 ?? 0))" } ?? ""
            let mending =
                member.isPublisher
                ? [Figures.grouped(batches[member.name] ?? 0), "", "", "", "", ""]
                : [
                    Figures.grouped(report.batches), "\(report.holesFound)", "\(report.holesFilled)",
                    "\(report.holesMended)", "\(report.snapshots)", lag,
                ]
            let rate = Figures.grouped(Double(report.updates) / loaded)
            return [Figures.grouped(report.updates), rate] + mending
                + [Figures.mebibytes(report.residentByteCount), Figures.grouped(report.models)]
        }
        let models = expected.reduce(0) { $0 + $1.models }
        let digest = expected.reduce(UInt64(0)) { $0 &+ (UInt64($1.digest, radix: 16) ?? 0) }
        print("the join of all publishers: \(Figures.grouped(models)) models, digest \(Digests.text(digest))")
        print(isEqual ? "every subscriber holds exactly that" : "NOT EQUAL")
        return isEqual
    }
}
