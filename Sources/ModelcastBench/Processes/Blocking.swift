import Foundation

/// Runs work that blocks, such as a paced load, on a thread of its own, and never on a thread of Swift's tasks.
enum Blocking {
    /// Runs `body` on a new thread, and returns its result.
    /// - Parameter name: the name of the thread, which debuggers and `top -H` show.
    static func run<R: Sendable>(named name: String, _ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.name = name
            thread.start()
        }
    }
}
