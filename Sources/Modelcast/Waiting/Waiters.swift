import ModelCache

/// Tasks that wait for an event which may never come. A cancelled task stops waiting.
final class Waiters<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Value, any Error>

    private struct State {
        var lastNumber: UInt64 = 0
        var waiting: [UInt64: Continuation] = [:]
    }

    private let state = Guarded(State())

    /// Waits until the task is in ``takeAll()`` and its continuation is resumed.
    /// - Parameter look: returns the outcome where it is known. Otherwise it calls its argument, under the lock that
    ///   guards the outcome, and returns nil. The lock of this class is taken under that lock, never the other way
    ///   round.
    /// - Throws: the outcome's failure, or `CancellationError` when the task is cancelled.
    func wait(_ look: (_ enter: () -> Void) -> Result<Value, any Error>?) async throws -> Value {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let outcome = look({ self.enter(number, continuation) }) { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let left = self.state.withLock { $0.waiting.removeValue(forKey: number) }
            left?.resume(throwing: CancellationError())
        }
    }

    private func enter(_ number: UInt64, _ continuation: Continuation) {
        let isCancelled = state.withLock { state in
            // A cancellation that came before found no continuation here.
            if Task.isCancelled { return true }
            state.waiting[number] = continuation
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    /// Removes and returns all waiting continuations. They must be resumed outside of all locks.
    func takeAll() -> [Continuation] {
        state.withLock { state in
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
    }
}
