public import Dispatch
public import ModelTypes

/// Reports records of which a Swift type cannot be made; see ``ModelCache/problems``.
///
/// A record is reported once for each Swift type, by the first read of it as that type, whether or not anybody
/// observes. The next record of the model is another one, and is reported again if it has the same fault.
public final class ModelProblems: Sendable {
    private struct State {
        var count = 0
        var listeners: [ObjectIdentifier: Listener] = [:]
    }

    private struct Listener: Sendable {
        let queue: DispatchQueue
        let handler: @Sendable (ModelProblem) -> Void
    }

    private let state = Guarded(State())

    init() {}

    /// How many problems have been reported.
    public var count: Int { state.withLock { $0.count } }

    /// Calls `handler`, on `queue`, with each problem from now on.
    /// - Returns: the token; the registration ends when it is cancelled or released.
    public func observe(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (ModelProblem) -> Void
    ) -> ModelProblemObservation {
        let token = ModelProblemObservation(self)
        state.withLock { $0.listeners[ObjectIdentifier(token)] = Listener(queue: queue, handler: handler) }
        return token
    }

    func remove(_ token: ObjectIdentifier) {
        // The handler and what it captures are released outside the lock.
        _ = state.withLock { $0.listeners.removeValue(forKey: token) }
    }

    /// Counts a problem and reports it to the handlers.
    package func tell(_ problem: ModelProblem) {
        let listeners = state.withLock { state in
            state.count += 1
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.queue.async { listener.handler(problem) } }
    }
}
