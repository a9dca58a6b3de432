/// Runs a service of the test's own process, told to end by cancellation, while `body` does its work.
/// - Returns: the result of `body`, once the service has ended in good order.
func beside<R: Sendable>(
    _ service: @escaping @Sendable () async throws -> Void, _ body: () async throws -> R
) async throws -> R {
    let run = Task { try await service() }
    do {
        let result = try await body()
        run.cancel()
        try await run.value
        return result
    } catch {
        run.cancel()
        throw error
    }
}
