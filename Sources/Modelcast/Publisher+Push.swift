public import ModelSync
import ZeroMQ

/// How far a publisher that pushes has come.
public struct PushProgress: Sendable {
    /// Batches that are not delivered yet, as ``PublisherConfiguration/acknowledgement`` counts.
    public internal(set) var unacknowledged = 0
    /// Too much waits for acknowledgement: writes are refused with `.backPressured`.
    public internal(set) var isFull = false
    /// Why not everything can be delivered any more; nil while it can.
    public internal(set) var failure: String?
    /// One for each of ``PublisherConfiguration/relays``.
    public internal(set) var relays: [PushStatus] = []
    /// Something was written that has not been made a batch and given to the relays' queues yet.
    public internal(set) var hasUnsent = false
    /// Everything that was written is delivered.
    public var isAcknowledged: Bool { !hasUnsent && unacknowledged == 0 }
    /// All that has been taken from the origin has been given to the pusher.
    var isHandedOver = true
    /// Who waits for everything to be acknowledged.
    var waiters: [CheckedContinuation<Void, any Error>] = []
}

extension Publisher {
    /// How far pushing has come; nil where nothing is pushed.
    public var pushProgress: PushProgress? { core.withLock { $0.pushProgress } }

    /// Waits until everything that was written before is acknowledged.
    ///
    /// A publisher that pushes nothing waits for nothing.
    /// - Throws: ``ModelcastError`` with code `push` when the relays refuse for good, `stopped` when the publisher ends
    ///   before.
    public func waitUntilAcknowledged() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let (outcome, waker) = core.withLock { core -> (Result<Void, any Error>?, Waker?) in
                guard core.push != nil else { return (.success(()), nil) }
                if let outcome = core.pushOutcome { return (outcome, nil) }
                if core.isStopped { return (.failure(Publisher.stoppedTooEarly), nil) }
                core.push?.waiters.append(continuation)
                return (nil, core.waker)
            }
            if let outcome { continuation.resume(with: outcome) }
            waker?.wake()
        }
    }

    private static var stoppedTooEarly: ModelcastError {
        ModelcastError(.stopped, "the publisher stopped before everything was acknowledged")
    }

    /// The socket thread tells how pushing stands.
    func tell(_ progress: PushProgress) {
        let (outcome, waiters) = core.withLock { core in
            let waiters = core.push?.waiters ?? []
            core.push = progress
            core.push?.waiters = waiters
            guard let outcome = core.pushOutcome else {
                return (nil as Result<Void, any Error>?, [] as [CheckedContinuation<Void, any Error>])
            }
            core.push?.waiters = []
            return (outcome, waiters)
        }
        guard let outcome else { return }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// The socket thread has ended: nothing will be acknowledged any more.
    func endPushing() {
        let waiters = core.withLock { core in
            defer { core.push?.waiters = [] }
            return core.push?.waiters ?? []
        }
        for waiter in waiters { waiter.resume(throwing: Publisher.stoppedTooEarly) }
    }
}

extension PublisherCore {
    fileprivate var pushProgress: PushProgress? {
        guard var progress = push else { return nil }
        progress.hasUnsent = !progress.isHandedOver || origin.hasOpenBatch || origin.hasActions
        progress.waiters = []
        return progress
    }

    /// How pushing has ended, for what was written so far; nil while it goes on.
    fileprivate var pushOutcome: Result<Void, any Error>? {
        guard let progress = pushProgress else { return nil }
        if let failure = progress.failure { return .failure(ModelcastError(.push, failure)) }
        return progress.isAcknowledged ? .success(()) : nil
    }
}
