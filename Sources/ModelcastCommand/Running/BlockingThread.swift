import Foundation
import Synchronization

/// A thread of its own for work that blocks, so that no thread of Swift's tasks does.
enum BlockingThread {
    /// Runs `body` on a new thread; the task that waits for its end blocks nobody.
    static func run<R: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.name = name
            thread.start()
        }
    }

    /// Waits for the end of `body`, on a thread that ``run(named:_:)`` has made.
    /// - Returns: what it has thrown.
    static func wait(for body: @escaping @Sendable () async throws -> Void) -> (any Error)? {
        let (result, done) = (Failure(), DispatchSemaphore(value: 0))
        Task {
            do { try await body() } catch { result.error.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        return result.error.withLock { $0 }
    }

    private final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }
}

/// Tells a thread to come to its end.
final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}
