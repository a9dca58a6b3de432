import Foundation

/// Runs work that blocks, such as a paced load, on a thread of its own: never on one of the tasks' threads.
enum Blocking {
    /// - Parameter name: what debuggers and `top -H` show.
    static func run<R: Sendable>(named name: String, _ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.name = name
            thread.start()
        }
    }
}
