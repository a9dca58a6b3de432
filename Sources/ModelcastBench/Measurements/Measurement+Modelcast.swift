/// The parts that measure Modelcast.
extension Measurement {
    typealias Process = Child<BenchOrder, BenchReply>

    /// Publishes all models for the first time.
    /// - Returns: how many seconds it took.
    @discardableResult
    func fill(_ publisher: Process) async throws -> Double {
        guard case .populated(let seconds) = try await publisher.ask(.populate, within: .seconds(120)) else {
            throw unexpected(publisher.name)
        }
        return seconds
    }

    func populate(_ publisher: Process) async throws {
        let seconds = try await fill(publisher)
        result.populateNanosecondsPerModel = seconds * 1e9 / Double(plan.models)
        guard
            case .generated(let generated) = try await publisher.ask(.generate(count: 1_000_000), within: .seconds(60))
        else { throw unexpected(publisher.name) }
        result.generatorNanosecondsPerUpdate = generated * 1000
    }

    func join(_ subscriber: Process) async throws {
        let joined = try await joined(subscriber, models: plan.models)
        result.joinSeconds = joined.seconds
        result.residentBytesPerModel = Double(joined.residentByteCount) / Double(joined.models)
        result.encodedBytesPerModel = Double(joined.encodedByteCount) / Double(joined.models)
    }

    func joined(_ subscriber: Process, models: Int) async throws -> BenchReply.Joined {
        guard case .joined(let joined) = try await subscriber.ask(.join, within: .seconds(120)) else {
            throw unexpected(subscriber.name)
        }
        guard joined.models == models else {
            throw BenchError("the subscriber joined with \(joined.models) of \(models) models")
        }
        return joined
    }

    /// One round of throughput.
    struct Round {
        var updatesPerSecond: Double
        var wireBytesPerUpdate: Double
        var updatesPerFrame: Double
        var publisherNanoseconds: Double
        var subscriberNanoseconds: Double
        var backPressured: Int
        var holes: UInt64
        var updates: Double
    }

    /// One round: publishes, waits until the last update is applied, and makes sure that both hold the same.
    func throughput(
        _ publisher: Process, _ subscriber: Process, batch: Int, run: Int, updates: Int? = nil
    ) async throws -> Round {
        let before = (try await state(publisher), try await state(subscriber))
        let wireBefore = ProcessFigures.loopbackByteCount ?? 0
        subscriber.tell(.awaitEnd(run: run))
        let order = BenchOrder.publish(count: updates ?? plan.updates, batch: batch, run: run)
        guard
            case .published(let published) = try await publisher.ask(order, within: .seconds(180)),
            case .ended(let end) = try await subscriber.next(within: .seconds(180))
        else { throw unexpected("\(publisher.name) or \(subscriber.name)") }
        let wire = (ProcessFigures.loopbackByteCount ?? 0) &- wireBefore
        try await requireEqual(publisher, subscriber, after: "throughput run \(run)")
        let after = (try await state(publisher), try await state(subscriber))
        let updates = Double(published.count)
        return Round(
            updatesPerSecond: updates * 1e9 / Double(end - published.startNanoseconds),
            wireBytesPerUpdate: Double(wire) / updates,
            updatesPerFrame: updates / max(1, Double(after.1.appliedBatches - before.1.appliedBatches)),
            publisherNanoseconds: (after.0.processorSeconds - before.0.processorSeconds) * 1e9 / updates,
            subscriberNanoseconds: (after.1.processorSeconds - before.1.processorSeconds) * 1e9 / updates,
            backPressured: published.backPressured, holes: after.1.holesFound - before.1.holesFound, updates: updates)
    }

    func latency(_ publisher: Process, _ subscriber: Process) async throws {
        guard case .observing = try await subscriber.ask(.observe, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        let order = BenchOrder.publishPaced(rate: plan.latencyRate, seconds: plan.latencySeconds)
        guard case .paced(let lateness, _) = try await publisher.ask(order, within: .seconds(plan.latencySeconds + 60))
        else { throw unexpected(publisher.name) }
        try await requireEqual(publisher, subscriber, after: "the latency round")
        guard case .latency(let latency) = try await subscriber.ask(.endObserving, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
        latencies.modelcast.append(latency.fromIntended)
        latencies.modelcastFromCall.append(latency.fromCall)
        latencies.lateness.append(lateness)
        result.foldedChanges += latency.folded
    }

    func reads(_ publisher: Process, _ subscriber: Process) async throws {
        let seconds = plan.readSeconds
        // The writer runs a little longer than the three measurements take together.
        let writerSeconds = 3 * seconds + 1
        publisher.tell(.publishPaced(rate: plan.readWriterRate, seconds: writerSeconds))
        let before = try await state(subscriber)
        let start = MonotonicClock.nanoseconds
        var all: [BenchResult.Reads] = []
        for (threads, decoding) in [(1, false), (2, false), (1, true)] {
            let order = BenchOrder.read(threads: threads, seconds: seconds, decoding: decoding)
            guard case .reads(let reads) = try await subscriber.ask(order, within: .seconds(seconds + 60)) else {
                throw unexpected(subscriber.name)
            }
            guard reads.missed == 0 else { throw BenchError("\(reads.missed) reads found no model") }
            all.append(BenchResult.Reads(perSecond: reads.perSecond, nanoseconds: reads.processorNanoseconds))
        }
        let after = try await state(subscriber)
        let elapsed = Double(MonotonicClock.nanoseconds - start) / 1e9
        (result.reads, result.readsTwoThreads, result.fieldReads) = (all[0], all[1], all[2])
        result.writerRateDuringReads = Double(after.appliedUpdates - before.appliedUpdates) / elapsed
        guard case .paced = try await publisher.next(within: .seconds(writerSeconds + 60)) else {
            throw unexpected(publisher.name)
        }
    }

    func state(_ process: Process) async throws -> BenchReply.State {
        guard case .state(let state) = try await process.ask(.state, within: .seconds(60)) else {
            throw unexpected(process.name)
        }
        return state
    }

    /// Waits until the subscriber holds what the publisher holds.
    func requireEqual(_ publisher: Process, _ subscriber: Process, after what: String) async throws {
        let expected = try await state(publisher)
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let held = try await state(subscriber)
            if held.isLive, held.digest == expected.digest, held.models == expected.models { return }
            guard ContinuousClock.now < deadline else {
                throw BenchError(
                    "after \(what) the digests differ: publisher \(expected.digest) with \(expected.models) models, "
                        + "subscriber \(held.digest) with \(held.models); no figure counts")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

extension BenchResult.Throughput {
    /// Takes note of a round.
    /// - Parameter raw: the messages a second of raw libzmq around it.
    mutating func add(_ round: Measurement.Round, besideRaw raw: Double) {
        rounds.append(round.updatesPerSecond)
        ratios.append(round.updatesPerSecond / raw)
        wireBytesPerUpdate = round.wireBytesPerUpdate
        updatesPerFrame = round.updatesPerFrame
        publisherNanoseconds = round.publisherNanoseconds
        subscriberNanoseconds = round.subscriberNanoseconds
        backPressured += round.backPressured
    }
}
