/// The endpoints that a service binds. Its socket thread sets them once, and any task may wait for them.
final class BoundEndpoints: Sendable {
    private let settlement = Settlement<SenderEndpoints>()

    /// Waits until ``settle(_:)`` has been called.
    /// - Throws: the failure that was passed there, or `CancellationError` when the task is cancelled.
    var value: SenderEndpoints { get async throws { try await settlement.value } }

    /// Runs `body`, which binds, and settles this with its failure.
    /// - Throws: the failure, as tasks that wait for ``value`` get it.
    func binding<R>(_ body: () throws(ModelcastError) -> R) throws(ModelcastError) -> R {
        do {
            return try body()
        } catch {
            settle(.failure(error))
            throw error
        }
    }

    /// Ends all waits for ``value``. Only the first call counts.
    func settle(_ result: Result<SenderEndpoints, ModelcastError>) { settlement.settle(result.mapError { $0 }) }
}
