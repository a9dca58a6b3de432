/// The latency from publish to observer at fixed rates, beside that of a message of raw libzmq.
extension Measurement {
    /// The results of the rounds with one setting.
    private struct Rounds {
        var modelcast: [BenchReply.Latency] = []
        var raw: [BenchReply.Latency] = []
        var lateness: [LatencySummary] = []
    }

    /// The two times from which a latency is counted.
    private static var origins: [(name: String, path: KeyPath<BenchReply.Latency, LatencyRecording>)] {
        [("from the call", \.fromCall), ("from the intended time", \.fromIntended)]
    }

    /// A percentile and its mark.
    private typealias Percentile = (name: String, path: KeyPath<LatencySummary, Double>, mark: BenchFigure.Mark?)

    /// The setting of rounds that are compared.
    private struct Setting {
        let rate: Double
        var isInline = false
        var cores: CorePair?

        /// The name of the setting in figures and charts.
        var name: String {
            "\(Figures.grouped(rate))/s\(cores == nil ? "" : ", a core each")\(isInline ? ", without a queue" : "")"
        }
    }

    func measureLatency() async throws -> BenchPart {
        var part = BenchPart(.latency)
        let memory = MemorySampler()
        var pair = try await startPair(plan, memory: memory)
        for rate in plan.latencyRates {
            // At the rate with a promise it is measured without a queue as well, as waking the queue's thread takes a
            // large part of the latency.
            for isInline in rate == Measurement.promisedRate ? [false, true] : [false] {
                try await measure(pair, Setting(rate: rate, isInline: isInline), &part)
            }
        }
        part.curves += memory.end()
        guard plan.latencyRates.contains(Measurement.promisedRate) else { return part }
        // Once more with a core for each process, so that no thread wakes another one on a core that sleeps.
        guard let cores = CorePair.available else {
            part.notes.append("Not measured with a core for each process: there is one only, or no taskset.")
            return part
        }
        await end()
        pair = try await startPair(plan, cores: cores)
        for isInline in [false, true] {
            try await measure(pair, Setting(rate: Measurement.promisedRate, isInline: isInline, cores: cores), &part)
        }
        return part
    }

    /// The rate for which something was promised.
    private static let promisedRate = 10_000.0

    private func measure(_ pair: Pair, _ setting: Setting, _ part: inout BenchPart) async throws {
        let rounds = try await rounds(pair, setting)
        part.figures += figures(rounds, setting)
        part.curves += curves(rounds, setting)
    }

    private func rounds(_ pair: Pair, _ setting: Setting) async throws -> Rounds {
        var rounds = Rounds()
        tell("\(setting.name) · raw libzmq")
        rounds.raw.append(try await rawLatency(rate: setting.rate, cores: setting.cores))
        for round in 1...max(1, plan.rounds) {
            tell("\(setting.name) · round \(round) of \(plan.rounds)")
            let (latency, lateness) = try await latency(pair, setting)
            rounds.modelcast.append(latency)
            rounds.lateness.append(lateness)
            rounds.raw.append(try await rawLatency(rate: setting.rate, cores: setting.cores))
        }
        return rounds
    }

    private func figures(_ rounds: Rounds, _ setting: Setting) -> [BenchFigure] {
        var figures: [BenchFigure] = []
        let at = "at \(setting.name)"
        for (origin, path) in Measurement.origins {
            // The promise is for one rate, counted from the call.
            let isMarked = setting.rate == Measurement.promisedRate && origin == "from the call"
            let percentiles: [Percentile] = [
                ("p50", \.median, isMarked ? .atMost(1.3) : nil),
                ("p99", \.percentile99, isMarked ? .atMost(1.5) : nil),
                ("p99.9", \.percentile999, nil),
            ]
            for (name, percentile, mark) in percentiles {
                let raw = rounds.raw.map { $0[keyPath: path].summary[keyPath: percentile] }
                var compared = BenchRounds()
                for value in raw { compared.add(baseline: value) }
                for (index, round) in rounds.modelcast.enumerated() {
                    let value = round[keyPath: path].summary[keyPath: percentile]
                    compared.add(value, around: (raw[index] + raw[index + 1]) / 2)
                }
                figures.append(
                    BenchFigure("\(at), \(name), \(origin)", .microseconds, compared, against: "raw libzmq", mark: mark)
                )
            }
        }
        let late = { (path: KeyPath<LatencySummary, Double>) in
            rounds.lateness.map { $0[keyPath: path] }.median ?? 0
        }
        return figures + [
            BenchFigure("\(at), how late the load itself was, p50", late(\.median), .microseconds),
            BenchFigure("\(at), how late the load itself was, p99", late(\.percentile99), .microseconds),
            BenchFigure(
                "\(at), folded changes", Double(rounds.modelcast.reduce(0) { $0 + $1.folded }), .count),
        ]
    }

    /// The curves of all rounds together.
    private func curves(_ rounds: Rounds, _ setting: Setting) -> [BenchCurve] {
        let chart = "Latency at \(setting.name)"
        return Measurement.origins.flatMap { origin, path in
            [("Modelcast", rounds.modelcast), ("raw libzmq", rounds.raw)].map { name, all in
                let histogram = LatencyHistogram()
                for round in all { histogram.add(round[keyPath: path]) }
                return BenchCurve("\(name), \(origin)", .latency, in: chart, histogram.percentileCurve)
            }
        }
    }

    private func latency(
        _ pair: Pair, _ setting: Setting
    ) async throws -> (BenchReply.Latency, lateness: LatencySummary) {
        let (publisher, subscriber) = (pair.publisher, pair.subscriber)
        guard case .observing = try await subscriber.ask(.observe(inline: setting.isInline), within: .seconds(60))
        else { throw unexpected(subscriber.name) }
        let order = BenchOrder.publishPaced(rate: setting.rate, seconds: plan.latencySeconds)
        guard case .paced(let lateness, _) = try await publisher.ask(order, within: .seconds(plan.latencySeconds + 60))
        else { throw unexpected(publisher.name) }
        try await requireEqual(publisher, subscriber, after: "the latency round")
        guard case .latency(let latency) = try await subscriber.ask(.endObserving, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        return (latency, lateness)
    }
}
