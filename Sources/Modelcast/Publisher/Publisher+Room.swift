import Synchronization
import ZeroMQ

/// The outbox as a writer sees it: whether it is full, and how to wait for room.
extension Publisher {
    /// True while writes are refused with `outbox-full`: more than ``PublisherConfiguration/outboxByteCount`` waits for
    /// the socket's thread, for the disk, or for a relay's acknowledgement.
    public var isOutboxFull: Bool { core.withLock { $0.isFull(configuration.outboxByteCount) } }

    /// Waits until the outbox has room. Another writer may take the room first: try the write, and wait again.
    /// - Parameter timeout: how long to wait at most; nil for as long as it takes, which is for ever where a relay
    ///   that has to acknowledge is gone.
    /// - Throws: ``ModelcastError`` with code `timeout` when that takes longer, `stopped` when the publisher ends
    ///   before; `CancellationError` when the task is cancelled.
    public func waitForRoom(timeout: Duration? = nil) async throws {
        guard let timeout else { return try await room() }
        guard try await within(timeout, room) == nil else { return }
        throw ModelcastError(
            .timeout,
            "the outbox is still full after \(timeout), so nothing of it has been taken; see whether the publisher "
                + "runs, its disk has room, and each relay that has to acknowledge is there")
    }

    private func room() async throws {
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

    /// Makes a write, and waits while the outbox is full.
    ///
    /// ```swift
    /// try await publisher.waitingForRoom { try publisher.merge("Sensor", "7", ["celsius": 21.5]) }
    /// ```
    /// - Parameters:
    ///   - timeout: how long each wait takes at most; nil for as long as it takes.
    ///   - isolation: where the caller runs, such as the main actor; `write` is called there.
    ///   - write: makes the write. It is called again after each wait.
    /// - Throws: the errors of `write`, except `outbox-full`, and those of ``waitForRoom(timeout:)``. Once the task is
    ///   cancelled during a wait, `write` is not called again.
    @discardableResult
    public func waitingForRoom<Outcome>(
        timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation, _ write: () throws -> Outcome
    ) async throws -> Outcome {
        while true {
            do {
                return try write()
            } catch let error as ModelcastError where error.code == .outboxFull {
                try await waitForRoom(timeout: timeout)
                try Task.checkCancellation()
            }
        }
    }

    /// Made once, as a writer under load may be refused very often.
    static let outboxFull = ModelcastError(
        .outboxFull,
        "the outbox is full and nothing was changed; wait with waitForRoom(), or allow more with outboxByteCount")

    private static var stoppedWithoutRoom: ModelcastError {
        ModelcastError(.stopped, "the publisher stopped before there was room in its outbox")
    }

    /// Resumes the waiting writers where the socket thread's sending has made room.
    func admitWriters() {
        guard isRoomAwaited.load(ordering: .relaxed) else { return }
        let waiters = core.withLock { core -> [Waiters<Void>.Continuation] in
            guard !core.isFull(configuration.outboxByteCount) else { return [] }
            isRoomAwaited.store(false, ordering: .relaxed)
            return roomWaiters.takeAll()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Fails the waiting writers: the socket thread has ended, and there will be no room any more.
    func refuseWriters() {
        for waiter in roomWaiters.takeAll() { waiter.resume(throwing: Publisher.stoppedWithoutRoom) }
    }
}
