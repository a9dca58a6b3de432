/// Waits for `body`, but no longer than a limit; `body` is cancelled then.
/// - Returns: nil when the time is up.
/// - Throws: the errors of `body`; `CancellationError` when the task is cancelled.
package func within<Outcome: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Outcome
) async throws -> Outcome? {
    try await withThrowingTaskGroup(of: Outcome?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        return try await group.next() ?? nil
    }
}
