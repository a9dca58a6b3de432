import Synchronization
import ZeroMQ

/// What a writer can do where too much waits to be sent.
extension Publisher {
    /// A write would be refused now with `outbox-full`: more than ``PublisherConfiguration/outboxByteCount`` waits for
    /// the socket's thread, for the disk, or for a relay's acknowledgement.
    public var isOutboxFull: Bool { core.withLock { $0.isFull(configuration.outboxByteCount) } }

    /// Waits until a write finds room in the outbox. Another writer may take it first: try, and wait again.
    /// - Throws: ``ModelcastError`` with code `stopped` when the publisher ends before; `CancellationError` when the
    ///   task is cancelled.
    public func waitForRoom() async throws {
        try await roomWaiters.wait { enter in
            let (outcome, waker) = core.withLock { core -> (Result<Void, any Error>?, Waker?) in
                if core.isStopped { return (.failure(Publisher.stoppedWithoutRoom), nil) }
                guard core.isFull(configuration.outboxByteCount) else { return (.success(()), nil) }
                isRoomAwaited.store(true, ordering: .relaxed)
                enter()
                return (nil, core.waker)
            }
            waker?.wake()
            return outcome
        }
    }

    /// Makes a write, and waits for room for as long as the outbox is full.
    ///
    /// ```swift
    /// try await publisher.waitingForRoom { try publisher.merge("Sensor", "7", ["celsius": 21.5]) }
    /// ```
    /// - Parameter write: makes the write; called again after each wait.
    /// - Throws: what `write` throws, but for `outbox-full`; and as ``waitForRoom()``.
    @discardableResult
    public func waitingForRoom<Outcome>(_ write: () throws -> Outcome) async throws -> Outcome {
        while true {
            do {
                return try write()
            } catch let error as ModelcastError where error.code == .outboxFull {
                try await waitForRoom()
            }
        }
    }

    /// Made once: a writer under load may be refused very often.
    static let outboxFull = ModelcastError(
        .outboxFull,
        "the outbox is full and nothing was changed; wait with waitForRoom(), or allow more with outboxByteCount")

    private static var stoppedWithoutRoom: ModelcastError {
        ModelcastError(.stopped, "the publisher stopped before there was room in its outbox")
    }

    /// The socket thread has sent what there was.
    func admitWriters() {
        guard isRoomAwaited.load(ordering: .relaxed) else { return }
        let waiters = core.withLock { core -> [Waiters<Void>.Continuation] in
            guard !core.isFull(configuration.outboxByteCount) else { return [] }
            isRoomAwaited.store(false, ordering: .relaxed)
            return roomWaiters.takeAll()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The socket thread has ended: there will be no room any more.
    func refuseWriters() {
        for waiter in roomWaiters.takeAll() { waiter.resume(throwing: Publisher.stoppedWithoutRoom) }
    }
}
