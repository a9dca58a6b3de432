import ModelCache

/// A result that is set once, and that any task can wait for.
package final class Settlement<Value: Sendable>: Sendable {
    private let result = Guarded<Result<Value, any Error>?>(nil)
    private let waiters = Waiters<Value>()

    package init() {}

    /// Waits until ``settle(_:)`` has been called, or the task is cancelled.
    package var value: Value {
        get async throws {
            try await waiters.wait { enter in
                result.withLock { result in
                    if result == nil { enter() }
                    return result
                }
            }
        }
    }

    /// Sets the result. Only the first call counts.
    package func settle(_ outcome: Result<Value, any Error>) {
        let isFirst = result.withLock { result in
            defer { result = result ?? outcome }
            return result == nil
        }
        guard isFirst else { return }
        for waiter in waiters.takeAll() { waiter.resume(with: outcome) }
    }
}
