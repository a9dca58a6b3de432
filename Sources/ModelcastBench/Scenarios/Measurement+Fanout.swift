/// One publisher and many subscribers, beside one XPUB of raw libzmq and as many SUBs that get the same frames.
extension Measurement {
    /// At most so much more than raw libzmq, with the most subscribers.
    static let fanoutMax = 1.2

    /// The processes, and what has been measured with them.
    private struct Fanout {
        let publisher: Process
        let endpoint: String
        let recorder: Process
        let sender: Process
        let rawEndpoint: String
        var subscribers: [Process] = []
        var receivers: [Process] = []
        /// With the present number of subscribers.
        var rounds: [Round] = []

        struct Round {
            var modelcast: Double
            var raw: Double
            var frames: Int
            var updatesPerFrame: Double
        }
    }

    func measureFanout() async throws -> BenchPart {
        var part = BenchPart(.fanout)
        let sizes = plan.sizes
        var fanout = try await startFanout(plan.with(models: sizes.fanoutModels))
        for count in sizes.subscribers.sorted() {
            tell("starting \(count) subscribers of Modelcast and \(count + 1) of raw libzmq")
            try await add(&fanout, until: count)
            fanout.rounds = []
            for turn in 1...max(1, sizes.turns) {
                tell("\(count) subscribers, turn \(turn) of \(sizes.turns)")
                fanout.rounds.append(try await round(fanout))
            }
            add(fanout, to: &part)
        }
        part.notes.append(
            "Fan-out: \(Figures.grouped(sizes.fanoutModels)) models, \(Figures.grouped(sizes.fanoutRate)) updates a "
                + "second for \(Figures.fixed(sizes.fanoutSeconds, 0)) s. A SUB of raw libzmq beside the subscribers "
                + "notes sizes and times of the publisher's frames, and counts as one more subscriber; then an XPUB "
                + "sends frames of these sizes at these times to as many.")
        await end()
        return part
    }

    private func startFanout(_ plan: BenchPlan) async throws -> Fanout {
        let (publisher, endpoint) = try await start("bench publisher", .publisher(plan))
        try await fill(publisher)
        guard case .endpoint(let stream) = try await publisher.ask(.streamEndpoint, within: .seconds(20)) else {
            throw unexpected(publisher.name)
        }
        let (recorder, _) = try await start("bench recorder", .frameRecorder(endpoint: stream))
        let (sender, rawEndpoint) = try await start("raw sender", .rawFanoutSender)
        return Fanout(
            publisher: publisher, endpoint: endpoint, recorder: recorder, sender: sender, rawEndpoint: rawEndpoint)
    }

    /// Starts what is missing: so many subscribers, and one receiver more, in the recorder's place.
    private func add(_ fanout: inout Fanout, until count: Int) async throws {
        let plan = plan.with(models: plan.sizes.fanoutModels)
        while fanout.subscribers.count < count {
            let (subscriber, _) = try await start(
                "bench subscriber \(fanout.subscribers.count + 1)", .subscriber(plan, endpoint: fanout.endpoint))
            _ = try await joined(subscriber, models: plan.models)
            fanout.subscribers.append(subscriber)
        }
        let missing = count + 1 - fanout.receivers.count
        guard missing > 0 else { return }
        for _ in 0..<missing {
            fanout.receivers.append(
                try await start("raw receiver", .rawFanoutReceiver(endpoint: fanout.rawEndpoint)).0)
        }
        guard case .subscribed = try await fanout.sender.ask(.awaitSubscribers(count: missing), within: .seconds(60))
        else { throw unexpected(fanout.sender.name) }
    }

    /// Modelcast, then the same frames by raw libzmq.
    private func round(_ fanout: Fanout) async throws -> Fanout.Round {
        let (rate, seconds) = (plan.sizes.fanoutRate, plan.sizes.fanoutSeconds)
        guard
            case .recording = try await fanout.recorder.ask(
                .recordFrames(seconds: seconds + 1), within: .seconds(60))
        else { throw unexpected(fanout.recorder.name) }
        let before = try await state(fanout.publisher)
        let order = BenchOrder.publishSteadily(rate: rate, seconds: seconds, textBytes: 10)
        guard case .steady(let steady) = try await fanout.publisher.ask(order, within: .seconds(seconds + 60)) else {
            throw unexpected(fanout.publisher.name)
        }
        // One that has everything is enough to know that all was sent; to ask for all others costs the publisher time.
        let last = fanout.subscribers[fanout.subscribers.count - 1]
        try await requireEqual(fanout.publisher, last, after: "publishing to many")
        let after = try await state(fanout.publisher)
        for subscriber in fanout.subscribers.dropLast() {
            try await requireEqual(fanout.publisher, subscriber, after: "publishing to many")
        }
        guard case .frames(let frames) = try await fanout.recorder.next(within: .seconds(seconds + 60)) else {
            throw unexpected(fanout.recorder.name)
        }
        let shares = Double(steady.count * (fanout.subscribers.count + 1)) / 1e9
        return Fanout.Round(
            modelcast: (after.processorSeconds - before.processorSeconds) / shares,
            raw: try await send(frames, fanout) / shares, frames: frames.count,
            updatesPerFrame: Double(steady.count) / Double(max(1, frames.count)))
    }

    /// - Returns: the sender's processor time.
    private func send(_ frames: [SentFrame], _ fanout: Fanout) async throws -> Double {
        for receiver in fanout.receivers { receiver.tell(.receiveFrames(count: frames.count)) }
        guard case .planned = try await fanout.sender.ask(.planFrames(frames), within: .seconds(60)) else {
            throw unexpected(fanout.sender.name)
        }
        let before = try await rawProcessor(fanout.sender)
        let seconds = Double(frames.last?.microseconds ?? 0) / 1e6
        guard case .sent = try await fanout.sender.ask(.sendPlannedFrames, within: .seconds(seconds + 60)) else {
            throw unexpected(fanout.sender.name)
        }
        for receiver in fanout.receivers {
            guard case .received = try await receiver.next(within: .seconds(60)) else {
                throw unexpected(receiver.name)
            }
        }
        return try await rawProcessor(fanout.sender) - before
    }

    private func rawProcessor(_ sender: Process) async throws -> Double {
        guard case .processor(let seconds) = try await sender.ask(.processor, within: .seconds(20)) else {
            throw unexpected(sender.name)
        }
        return seconds
    }

    private func add(_ fanout: Fanout, to part: inout BenchPart) {
        let count = fanout.subscribers.count
        let isMarked = count >= 64
        let name = "\(count) subscriber\(count == 1 ? "" : "s")"
        part.figures.append(
            BenchFigure(
                "publisher's processor time an update and subscriber, \(name)",
                fanout.rounds.map(\.modelcast).median ?? 0, .nanoseconds,
                beside: BenchFigure.Baseline(
                    "raw libzmq, same frames", fanout.rounds.map(\.raw).median ?? 0,
                    ratios: fanout.rounds.map { $0.modelcast / max(0.001, $0.raw) }),
                mark: isMarked ? .atMost(Measurement.fanoutMax) : nil))
        part.details += [
            BenchFigure("frames of a turn, \(name)", Double(fanout.rounds.last?.frames ?? 0), .count),
            BenchFigure(
                "updates a frame, \(name)", fanout.rounds.map(\.updatesPerFrame).median ?? 0, .count),
        ]
    }
}
