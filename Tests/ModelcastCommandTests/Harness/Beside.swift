/// Does the work of `body` beside the run of a service in the test's own process, which is then cancelled.
/// - Returns: the result of `body`, once the service has ended in good order.
func beside<R: Sendable>(_ run: Task<Void, any Error>, _ body: () async throws -> R) async throws -> R {
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
