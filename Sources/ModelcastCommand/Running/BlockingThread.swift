import Foundation
import Synchronization

/// A thread of its own for work that blocks, so that it blocks no thread of Swift's tasks.
enum BlockingThread {
    /// Runs `body` on a new thread. The task that awaits its end blocks no thread.
    static func run<R: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.name = name
            thread.start()
        }
    }

    /// Blocks until `body` has ended. Call it on a thread that ``run(named:_:)`` has made.
    /// - Returns: the error that `body` has thrown; nil when it has not.
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

/// A flag that tells a thread to end. Any thread may set it.
final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}
