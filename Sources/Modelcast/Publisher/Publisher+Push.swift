import ModelSync
import ZeroMQ

extension Publisher {
    /// How far pushing has come; nil where nothing is pushed.
    public var pushProgress: PushProgress? { core.withLock { $0.pushProgress } }

    /// Waits until everything that was written before is acknowledged, whether this run or an earlier one wrote it. The
    /// store is compared with each relay that has to acknowledge, and missing records are sent again.
    ///
    /// - Throws: ``ModelcastError`` with code `push` when the relays refuse for good, `stopped` when the publisher ends
    ///   before, `configuration` where the publisher pushes to no relay; `CancellationError` when the task is
    ///   cancelled.
    public func waitUntilAcknowledged() async throws {
        try await acknowledged.wait { enter in
            let (outcome, waker) = core.withLock { core -> (Result<Void, any Error>?, Waker?) in
                guard core.push != nil else { return (.failure(Publisher.pushesNowhere), nil) }
                if let outcome = core.pushOutcome { return (outcome, nil) }
                if core.isStopped { return (.failure(Publisher.stoppedTooEarly), nil) }
                enter()
                return (nil, core.waker)
            }
            waker?.wake()
            return outcome
        }
    }

    private static var pushesNowhere: ModelcastError {
        ModelcastError(
            .configuration, "this publisher pushes to no relay, so nobody acknowledges; name some in its relays")
    }

    private static var stoppedTooEarly: ModelcastError {
        ModelcastError(.stopped, "the publisher stopped before everything was acknowledged")
    }

    /// Takes the progress from the socket thread, and resumes the waiting tasks at the end of pushing.
    func tell(_ progress: PushProgress) {
        let (outcome, waiters) = core.withLock { core in
            core.push = progress
            let outcome = core.pushOutcome
            return (outcome, outcome == nil ? [] : acknowledged.takeAll())
        }
        guard let outcome else { return }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// Fails the waiting tasks: the socket thread has ended, and nothing will be acknowledged any more.
    func endPushing() {
        for waiter in acknowledged.takeAll() { waiter.resume(throwing: Publisher.stoppedTooEarly) }
    }
}

extension PublisherCore {
    fileprivate var pushProgress: PushProgress? {
        guard var progress = push else { return nil }
        // The relays have not been compared yet with what earlier runs have stored.
        let isBehind = progress.incarnation != origin.incarnation && !origin.cache.types.isEmpty
        progress.hasUnsent = !progress.isHandedOver || origin.hasOpenBatch || origin.hasActions || isBehind
        return progress
    }

    /// How pushing has ended, for everything that was written so far; nil while it goes on.
    fileprivate var pushOutcome: Result<Void, any Error>? {
        guard let progress = pushProgress else { return nil }
        if let failure = progress.failure { return .failure(ModelcastError(.push, failure)) }
        return progress.isAcknowledged ? .success(()) : nil
    }
}
