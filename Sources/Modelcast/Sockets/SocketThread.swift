import Foundation

/// A thread of its own for sockets: libzmq's sockets belong to one thread, and Swift's tasks hop between many.
enum SocketThread {
    /// Runs `body` on a new thread and waits, without blocking a task's thread, for its end.
    /// - Parameter name: what debuggers and `top -H` show.
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
}
