public import ModelSync
import ZeroMQ

/// How far a publisher that pushes has come.
public struct PushProgress: Sendable {
    /// Batches that are not delivered yet, as ``PublisherConfiguration/acknowledgement`` counts.
    public internal(set) var unacknowledged = 0
    /// Too much waits for acknowledgement: writes are refused with ``ModelcastError/Code/outboxFull``.
    public internal(set) var isFull = false
    /// Why not everything can be delivered any more; nil while it can.
    public internal(set) var failure: String?
    /// One for each of ``PublisherConfiguration/relays``.
    public internal(set) var relays: [PushStatus] = []
    /// Something was written that has not been made a batch and given to the relays' queues yet.
    public internal(set) var hasUnsent = false
    /// Everything that was written is delivered, and all that earlier runs have kept in the store is there as well.
    public var isAcknowledged: Bool { !hasUnsent && isDelivered }
    /// All that has been taken from the origin has been given to the pusher.
    var isHandedOver = true
    /// All that was given to the pusher is delivered, and the relays were compared with what earlier runs have kept.
    var isDelivered = true
    /// The start of the origin that this is about.
    var incarnation: UInt64 = 0
}

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
