public import Dispatch
public import ModelTypes

/// Who is told of records that a Swift type cannot be made of; see ``ModelCache/problems``.
///
/// Each record is told of once for each Swift type, by the first who reads it as that, whether or not anybody listens.
/// The next record of the model, which may be as faulty, is another one.
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

    /// How many have been told.
    public var count: Int { state.withLock { $0.count } }

    /// Tells `handler`, on `queue`, of each from now on.
    /// - Returns: the token; it ends when it is cancelled or released.
    public func observe(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (ModelProblem) -> Void
    ) -> ModelProblemObservation {
        let token = ModelProblemObservation(self)
        state.withLock { $0.listeners[ObjectIdentifier(token)] = Listener(queue: queue, handler: handler) }
        return token
    }

    func remove(_ token: ObjectIdentifier) {
        // The handler and what it holds on to are released outside the lock.
        _ = state.withLock { $0.listeners.removeValue(forKey: token) }
    }

    /// Tells of one.
    package func tell(_ problem: ModelProblem) {
        let listeners = state.withLock { state in
            state.count += 1
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.queue.async { listener.handler(problem) } }
    }
}
