import ModelCache
import ModelSync
import Synchronization
import ZeroMQ

/// Tasks that wait until a copy has come as far as a token, or until subscribers have.
final class AppliedWaiters: Sendable {
    private let waiters = Waiters<Void>()
    private let count = Atomic<Int>(0)

    /// True while somebody waits, so that the socket thread tells at once how far it has come.
    var isAwaited: Bool { count.load(ordering: .relaxed) > 0 }

    /// Looks at the state that a service shares with its socket thread until there is an outcome: at once, and after
    /// each ``lookAgain()``. The thread is woken once, so that it tells how far it is.
    /// - Parameters:
    ///   - limit: how long this may take.
    ///   - look: called under the lock of the state; nil where the wait goes on.
    /// - Returns: nil when the time is up.
    func wait<S: ThreadService, Outcome: Sendable>(
        on service: S, limit: Duration, _ look: @escaping @Sendable (inout S.Core) -> Result<Outcome, any Error>?
    ) async throws -> Outcome? {
        count.wrappingAdd(1, ordering: .relaxed)
        defer { count.wrappingSubtract(1, ordering: .relaxed) }
        return try await within(limit) { try await self.outcome(on: service, look) }
    }

    /// Waits until a service has applied what a token names.
    /// - Parameter streams: how far the streams of the service have come.
    func wait<S: ThreadService>(
        for token: WriteToken, on service: S, called name: String, limit: Duration,
        _ streams: @escaping @Sendable (S.Core) -> [StreamStatus]
    ) async throws {
        let done: Void? = try await wait(on: service, limit: limit) { core in
            token.outcome(streams(core), core.isStopped, name)
        }
        if done == nil { throw token.lateness(limit, name) }
    }

    private func outcome<S: ThreadService, Outcome: Sendable>(
        on service: S, _ look: @escaping @Sendable (inout S.Core) -> Result<Outcome, any Error>?
    ) async throws -> Outcome {
        let found = Guarded<Outcome?>(nil)
        var isFirst = true
        while true {
            try Task.checkCancellation()
            try await waiters.wait { enter in
                let (outcome, waker) = service.core.withLock { core -> (Result<Outcome, any Error>?, Waker?) in
                    if let outcome = look(&core) { return (outcome, nil) }
                    enter()
                    return (nil, isFirst ? core.waker : nil)
                }
                waker?.wake()
                return outcome?.map { outcome in found.withLock { $0 = outcome } }
            }
            isFirst = false
            if let outcome = found.withLock({ $0 }) { return outcome }
        }
    }

    /// Lets all that wait look again.
    func lookAgain() {
        guard isAwaited else { return }
        for waiter in waiters.takeAll() { waiter.resume() }
    }
}
