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
        /// The changes that the observers of the canonical load were told; nil where there are none.
        var told: BenchReply.Told?
        /// Updates applied a second, over the seconds since the first call.
        var points: [BenchCurve.Point]
    }

    /// Measures one round: publishes, waits until the last update is applied, and checks that both copies are equal.
    /// - Parameter isObserved: the subscriber has the observers of the canonical load, who must be told everything,
    ///   too.
    func throughput(
        _ publisher: Process, _ subscriber: Process, batch: Int, run: Int, updates: Int? = nil,
        isObserved: Bool = false
    ) async throws -> Round {
        let before = (try await state(publisher), try await state(subscriber))
        let wireBefore = ProcessFigures.loopbackByteCount ?? 0
        subscriber.tell(.awaitEnd(run: run))
        let order = BenchOrder.publish(count: updates ?? plan.updates, batch: batch, run: run)
        guard
            case .published(let published) = try await publisher.ask(order, within: .seconds(180)),
            case .ended(let end) = try await subscriber.next(within: .seconds(180))
        else { throw unexpected("\(publisher.name) or \(subscriber.name)") }
        let told = isObserved ? try await told(subscriber, of: published.count) : nil
        let wire = (ProcessFigures.loopbackByteCount ?? 0) &- wireBefore
        guard case .samples(let samples) = try await subscriber.ask(.takeSamples, within: .seconds(20)) else {
            throw unexpected(subscriber.name)
        }
        try await requireEqual(publisher, subscriber, after: "throughput run \(run)")
        let after = (try await state(publisher), try await state(subscriber))
        // The subscriber refreshes its counters four times a second.
        try await Task.sleep(for: .milliseconds(300))
        let settled = try await state(subscriber)
        let updates = Double(published.count)
        return Round(
            updatesPerSecond: updates * 1e9 / Double(max(end, told?.lastNanoseconds ?? 0) - published.startNanoseconds),
            wireBytesPerUpdate: Double(wire) / updates,
            updatesPerFrame: updates / max(1, Double(settled.appliedBatches - before.1.appliedBatches)),
            publisherNanoseconds: (after.0.processorSeconds - before.0.processorSeconds) * 1e9 / updates,
            subscriberNanoseconds: (after.1.processorSeconds - before.1.processorSeconds) * 1e9 / updates,
            backPressured: published.backPressured, holes: settled.holesFound - before.1.holesFound, updates: updates,
            told: told, points: samples.rates(from: published.startNanoseconds, to: end))
    }

    /// Waits until the observers of the canonical load have been told everything.
    private func told(_ subscriber: Process, of updates: Int) async throws -> BenchReply.Told {
        guard case .told(let told) = try await subscriber.ask(.awaitTold, within: .seconds(90)) else {
            throw unexpected(subscriber.name)
        }
        // With ten million models a short round may change none of those that are observed.
        let isFew = updates * CanonicalObservers.modelCount < 20 * plan.models
        guard told.ofType > 0, told.ofModels > 0 || isFew else {
            throw BenchError("\(told.ofType) changes were told of the type and \(told.ofModels) of 1,000 models")
        }
        return told
    }

    /// Adds the observers of the canonical load to a subscriber.
    func observeCanonically(_ subscriber: Process) async throws {
        guard case .observing = try await subscriber.ask(.observeCanonically, within: .seconds(60)) else {
            throw unexpected(subscriber.name)
        }
    }

    func state(_ process: Process) async throws -> BenchReply.State {
        guard case .state(let state) = try await process.ask(.state, within: .seconds(60)) else {
            throw unexpected(process.name)
        }
        return state
    }

    /// Waits until the subscriber holds what the publisher holds, and counts its copy as equal.
    /// - Throws: ``DigestDifference`` when the copies are not equal within half a minute.
    func requireEqual(_ publisher: Process, _ subscriber: Process, after what: String) async throws {
        let expected = try await state(publisher)
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let held = try await state(subscriber)
            if held.isLive, held.digest == expected.digest, held.models == expected.models {
                equalCopies += 1
                return
            }
            guard ContinuousClock.now < deadline else {
                throw DigestDifference(
                    text: "after \(what) \(publisher.name) had \(expected.digest) with \(expected.models) models, "
                        + "\(subscriber.name) \(held.digest) with \(held.models)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
