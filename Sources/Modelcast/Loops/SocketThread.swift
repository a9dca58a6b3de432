import Foundation
import ModelCache
import ZeroMQ

/// Threads for connections. They belong to one thread, and Swift's tasks hop between many.
enum SocketThread {
    /// Runs `body` on a new thread and waits for its end, without blocking a task's thread.
    /// - Parameter name: the name of the thread, as debuggers and `top -H` show it.
    static func run<R: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                continuation.resume(with: Result(catching: body))
            }
            thread.name = name
            thread.start()
        }
    }

    /// The same for work that ends early when the task is cancelled.
    static func run<R: Sendable>(
        named name: String, cancellable body: @escaping @Sendable (ThreadCancellation) throws -> R
    ) async throws -> R {
        let cancellation = ThreadCancellation()
        return try await withTaskCancellationHandler {
            try await run(named: name) {
                try cancellation.check()
                return try body(cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}

/// Tells the work on a thread that its task was cancelled.
final class ThreadCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var wakers: [Waker] = []
    }

    private let state = Guarded(State())

    /// Lets a cancellation wake the poller of this waker, also one that came before.
    func wake(_ waker: Waker) {
        let isCancelled = state.withLock { state in
            state.wakers.append(waker)
            return state.isCancelled
        }
        if isCancelled { waker.wake() }
    }

    func cancel() {
        let wakers = state.withLock { state in
            state.isCancelled = true
            return state.wakers
        }
        for waker in wakers { waker.wake() }
    }

    /// - Throws: `CancellationError` once the task is cancelled.
    func check() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }
}
