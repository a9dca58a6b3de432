import ModelSync
import ZeroMQ

extension Publisher {
    /// How far pushing has come; nil where nothing is pushed.
    public var pushProgress: PushProgress? { core.withLock { $0.pushProgress } }

    /// Waits until everything that was written before is acknowledged, by this run or an earlier one: what the store
    /// holds is compared with each relay that has to acknowledge, and what is missing there is sent again.
    ///
    /// A publisher that pushes nothing waits for nothing.
    /// - Throws: ``ModelcastError`` with code `push` when the relays refuse for good, `stopped` when the publisher ends
    ///   before; `CancellationError` when the task is cancelled.
    public func waitUntilAcknowledged() async throws {
        try await acknowledged.wait { enter in
            let (outcome, waker) = core.withLock { core -> (Result<Void, any Error>?, Waker?) in
                guard core.push != nil else { return (.success(()), nil) }
                if let outcome = core.pushOutcome { return (outcome, nil) }
                if core.isStopped { return (.failure(Publisher.stoppedTooEarly), nil) }
                enter()
                return (nil, core.waker)
            }
            waker?.wake()
            return outcome
        }
    }

    private static var stoppedTooEarly: ModelcastError {
        ModelcastError(.stopped, "the publisher stopped before everything was acknowledged")
    }

    /// The socket thread tells how pushing stands.
    func tell(_ progress: PushProgress) {
        let (outcome, waiters) = core.withLock { core in
            core.push = progress
            let outcome = core.pushOutcome
            return (outcome, outcome == nil ? [] : acknowledged.takeAll())
        }
        guard let outcome else { return }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// The socket thread has ended: nothing will be acknowledged any more.
    func endPushing() {
        for waiter in acknowledged.takeAll() { waiter.resume(throwing: Publisher.stoppedTooEarly) }
    }
}

extension PublisherCore {
    fileprivate var pushProgress: PushProgress? {
        guard var progress = push else { return nil }
        // What earlier runs have kept has not been looked at yet.
        let isBehind = progress.incarnation != origin.incarnation && !origin.cache.types.isEmpty
        progress.hasUnsent = !progress.isHandedOver || origin.hasOpenBatch || origin.hasActions || isBehind
        return progress
    }

    /// How pushing has ended, for what was written so far; nil while it goes on.
    fileprivate var pushOutcome: Result<Void, any Error>? {
        guard let progress = pushProgress else { return nil }
        if let failure = progress.failure { return .failure(ModelcastError(.push, failure)) }
        return progress.isAcknowledged ? .success(()) : nil
    }
}
