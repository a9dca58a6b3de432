import ZeroMQ

/// The endpoints that a service is going to bind: told once by its socket thread, waited for by anybody.
final class BoundEndpoints: Sendable {
    private let settlement = Settlement<SenderEndpoints>()

    /// Waits until ``settle(_:)`` has been called.
    /// - Throws: the failure that it was called with, or `CancellationError` when the task is cancelled.
    var value: SenderEndpoints { get async throws { try await settlement.value } }

    /// Binds, or tells why that failed.
    /// - Throws: the failure that whoever waits for ``value`` is told.
    func binding<R>(_ body: () throws(ZeroMQError) -> R) throws(ModelcastError) -> R {
        do {
            return try body()
        } catch {
            throw failed(error)
        }
    }

    /// Tells that binding has failed.
    func failed(_ error: ZeroMQError) -> ModelcastError {
        let failure = ModelcastError(.endpoint, error.description)
        settle(.failure(failure))
        return failure
    }

    /// Tells what came of binding. The first call counts.
    func settle(_ result: Result<SenderEndpoints, ModelcastError>) { settlement.settle(result.mapError { $0 }) }
}
