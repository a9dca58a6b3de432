import ModelCache
import ServiceLifecycle
import ZeroMQ

/// A service that works on a thread of its own, once, until it is stopped: a publisher, relay or subscriber.
protocol ThreadService: Service {
    associatedtype Core: ThreadServiceCore
    /// The state that callers and the thread share.
    var core: Guarded<Core> { get }
    /// The word for the service in errors.
    static var kind: String { get }
    /// The name of the thread, as debuggers and `top -H` show it.
    static var threadName: String { get }
    /// The sign of life of the thread.
    var pulse: LoopPulse { get }
    /// The work: returns when the service is stopped.
    func runOnThisThread() throws
}

/// The part of a core that its service's run needs.
protocol ThreadServiceCore {
    /// Wakes the thread; set while it runs.
    var waker: Waker? { get set }
    /// The thread has to end, or has ended.
    var isStopped: Bool { get set }
    var hasRun: Bool { get set }
}

extension ThreadService {
    /// Works until the service group shuts down or the task is cancelled.
    /// - Throws: ``ModelcastError`` for a service that has run before, as its sockets and its store are closed by now.
    func runOnce() async throws {
        try core.withLock { core throws(ModelcastError) in
            guard !core.hasRun else {
                throw ModelcastError(.stopped, "this \(Self.kind) has run already, and runs once: make a new one")
            }
            core.hasRun = true
        }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await SocketThread.run(named: Self.threadName) {
                defer { self.pulse.end() }
                try self.runOnThisThread()
            }
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
    }

    /// Makes the run end.
    func stop() {
        let waker = core.withLock { core in
            core.isStopped = true
            return core.waker
        }
        waker?.wake()
    }
}
