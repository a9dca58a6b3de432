import ModelCache
import ZeroMQ

/// The endpoints that a service is going to bind: told once by its socket thread, waited for by anybody.
final class BoundEndpoints: Sendable {
    private struct State {
        var result: Result<SenderEndpoints, ModelcastError>?
        var waiters: [CheckedContinuation<SenderEndpoints, any Error>] = []
    }

    private let state = Guarded(State())

    /// Waits until ``settle(_:)`` has been called.
    /// - Throws: the failure that it was called with.
    var value: SenderEndpoints {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<SenderEndpoints, ModelcastError>? in
                    if state.result == nil { state.waiters.append(continuation) }
                    return state.result
                }
                if let known { continuation.resume(with: known) }
            }
        }
    }

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
    func settle(_ result: Result<SenderEndpoints, ModelcastError>) {
        let waiters = state.withLock { state in
            guard state.result == nil else { return state.waiters }
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
