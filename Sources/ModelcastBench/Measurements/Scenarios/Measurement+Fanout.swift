/// One publisher and many subscribers, beside one XPUB of raw libzmq and as many SUBs that get frames of the same
/// sizes. The two are measured one after the other, and at the same time.
extension Measurement {
    /// The bound of the ratio to raw libzmq with 64 subscribers or more.
    static let fanoutMax = 1.2

    /// The processes, and the rounds that were measured with them.
    fileprivate struct Fanout {
        let publisher: Process
        let endpoint: String
        let recorder: Process
        let sender: Process
        let rawEndpoint: String
        var subscribers: [Process] = []
        var receivers: [Process] = []
        /// The rounds with the present number of subscribers.
        var rounds: [Round] = []

        struct Round {
            /// The cost when the two are measured one after the other.
            let alone: Cost
            /// The cost when both are measured at the same time.
            let together: Cost
        }

        /// The sender's processor time for an update and subscriber, in nanoseconds.
        struct Cost {
            let modelcast: Double
            let raw: Double
            /// How many frames and updates the publisher sent.
            let frames: Int
            let updates: Int
        }

        /// The frames that the publisher has sent, and its processor time.
        struct Sending {
            let frames: [SentFrame]
            let updateCount: Int
            let processorSeconds: Double
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
                + "notes the publisher's frames, and counts as one more subscriber; then an XPUB sends frames of these "
                + "sizes to as many, in the milliseconds in which their updates were written; then, with frames of the "
                + "same sizes, both at the same time, where both find the processors equally busy.")
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

    /// Starts the processes that are missing for `count` subscribers. There is one raw receiver more, for the recorder.
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

    /// Measures Modelcast, then the same frames by raw libzmq, then both at the same time.
    ///
    /// A sender's time depends on the other work of the machine. It wakes each receiver of a frame, and frames that
    /// wait for a thread without a processor leave together. The two kinds of receivers do different work, so both are
    /// measured at the same time as well.
    private func round(_ fanout: Fanout) async throws -> Fanout.Round {
        try await prepareToRecord(fanout)
        let first = try await publish(fanout)
        try await prepareToSend(first.frames, fanout)
        let raw = try await send(first.frames, fanout)
        try await prepareToSend(first.frames, fanout)
        try await prepareToRecord(fanout)
        async let publishing = publish(fanout)
        let rawBeside = try await send(first.frames, fanout)
        let second = try await publishing
        let receivers = fanout.subscribers.count + 1
        return Fanout.Round(
            alone: Fanout.Cost(first, raw: raw, receivers: receivers),
            together: Fanout.Cost(second, raw: rawBeside, receivers: receivers))
    }

    /// Lets the recorder note the frames that come from now on.
    private func prepareToRecord(_ fanout: Fanout) async throws {
        let order = BenchOrder.recordFrames(seconds: plan.sizes.fanoutSeconds + 1)
        guard case .recording = try await fanout.recorder.ask(order, within: .seconds(60)) else {
            throw unexpected(fanout.recorder.name)
        }
    }

    /// Publishes to all subscribers, and takes the frames that the recorder has noted.
    private func publish(_ fanout: Fanout) async throws -> Fanout.Sending {
        let (rate, seconds) = (plan.sizes.fanoutRate, plan.sizes.fanoutSeconds)
        let before = try await processor(fanout.publisher)
        let order = BenchOrder.publishSteadily(rate: rate, seconds: seconds, textBytes: 10, tellsSteps: true)
        guard case .steady(let steady) = try await fanout.publisher.ask(order, within: .seconds(seconds + 60)) else {
            throw unexpected(fanout.publisher.name)
        }
        // One subscriber that has everything shows that all was sent. Comparing the others costs the publisher time, so
        // it comes after the processor time is read.
        let last = fanout.subscribers[fanout.subscribers.count - 1]
        try await requireEqual(fanout.publisher, last, after: "publishing to many")
        let after = try await processor(fanout.publisher)
        for subscriber in fanout.subscribers.dropLast() {
            try await requireEqual(fanout.publisher, subscriber, after: "publishing to many")
        }
        guard case .frames(let recorded) = try await fanout.recorder.next(within: .seconds(seconds + 60)) else {
            throw unexpected(fanout.recorder.name)
        }
        return Fanout.Sending(
            frames: try SentFrame.sent(recorded, in: steady.steps), updateCount: steady.count,
            processorSeconds: after - before)
    }

    /// Tells the processes of raw libzmq which frames will be sent.
    private func prepareToSend(_ frames: [SentFrame], _ fanout: Fanout) async throws {
        for receiver in fanout.receivers { receiver.tell(.receiveFrames(count: frames.count)) }
        guard case .planned = try await fanout.sender.ask(.planFrames(frames), within: .seconds(60)) else {
            throw unexpected(fanout.sender.name)
        }
    }

    /// Sends the planned frames by raw libzmq.
    /// - Returns: the sender's processor time in seconds.
    private func send(_ frames: [SentFrame], _ fanout: Fanout) async throws -> Double {
        let before = try await processor(fanout.sender)
        let seconds = Double(frames.last?.microseconds ?? 0) / 1e6
        guard case .sent = try await fanout.sender.ask(.sendPlannedFrames, within: .seconds(seconds + 60)) else {
            throw unexpected(fanout.sender.name)
        }
        for receiver in fanout.receivers {
            guard case .received = try await receiver.next(within: .seconds(60)) else {
                throw unexpected(receiver.name)
            }
        }
        return try await processor(fanout.sender) - before
    }

    private func add(_ fanout: Fanout, to part: inout BenchPart) {
        let count = fanout.subscribers.count
        let name = "\(count) subscriber\(count == 1 ? "" : "s")"
        let mark: BenchFigure.Mark? = count >= 64 ? .atMost(Measurement.fanoutMax) : nil
        add(fanout.rounds.map(\.alone), name, beside: "raw libzmq, same frames", mark: mark, to: &part)
        add(
            fanout.rounds.map(\.together), "\(name), both at once", beside: "raw libzmq, frames of the turn alone",
            mark: mark, to: &part)
    }

    private func add(
        _ costs: [Fanout.Cost], _ name: String, beside baseline: String, mark: BenchFigure.Mark?,
        to part: inout BenchPart
    ) {
        part.figures.append(
            BenchFigure(
                "publisher's processor time an update and subscriber, \(name)", costs.map(\.modelcast).median ?? 0,
                .nanoseconds,
                beside: BenchFigure.Baseline(
                    baseline, costs.map(\.raw).median ?? 0, ratios: costs.map { $0.modelcast / max(0.001, $0.raw) }),
                mark: mark))
        let updatesPerFrame = costs.map { Double($0.updates) / Double(max(1, $0.frames)) }
        part.details += [
            BenchFigure("frames of a turn, \(name)", costs.map { Double($0.frames) }.median ?? 0, .count),
            BenchFigure("updates a frame, \(name)", updatesPerFrame.median ?? 0, .count),
        ]
    }
}

extension Measurement.Fanout.Cost {
    /// - Parameter raw: the processor time of raw libzmq's sender in seconds, for as many updates.
    fileprivate init(_ sending: Measurement.Fanout.Sending, raw: Double, receivers: Int) {
        let shares = Double(sending.updateCount * receivers) / 1e9
        self.init(
            modelcast: sending.processorSeconds / shares, raw: raw / shares, frames: sending.frames.count,
            updates: sending.updateCount)
    }
}
