import Dispatch
public import Modelcast
import Synchronization

/// The changes that an observer is told, kept for a test.
///
/// ```swift
/// let recorder = ChangeRecorder(of: subscriber.models(User.self))
/// _ = try publisher.merge(User(id: "1", name: "Anna"))
/// try await network.settle()
/// #expect(recorder.take().map(\.new?.name) == ["Anna"])
/// ```
/// What is there when it is made is told first, as to every observer.
public final class ChangeRecorder<Element: Sendable>: Sendable {
    private let told = ToldChanges<Element>()
    private let queue = DispatchQueue(label: "modelcast.recorder")
    private let observation: CacheObservation

    private init(_ observe: (DispatchQueue, ToldChanges<Element>) -> CacheObservation) {
        observation = observe(queue, told)
    }

    /// The changes since the last call, in their order. After ``TestNetwork/settle()`` these are all that there were.
    /// - Complexity: waits for handlers that are under way.
    public func take() -> [Element] {
        // A call on the queue may queue the next one: there is none left when two turns have brought nothing.
        var (count, turns) = (-1, 0)
        while turns < 2 {
            queue.sync {}
            let now = told.count
            (count, turns) = (now, now == count ? turns + 1 : 0)
        }
        return told.take()
    }

    /// The changes since the last call, in their order, once there are so many. For code that writes in a task of its
    /// own, which ``TestNetwork/settle()`` does not wait for, and for services over sockets.
    /// - Parameters:
    ///   - count: how many there have to be. There may be more.
    ///   - limit: how long to wait at most.
    /// - Throws: ``TestNetworkError`` when that takes longer, which says how many there were, and `CancellationError`
    ///   when the task is cancelled; the changes are kept for the next call.
    public func take(atLeast count: Int, within limit: Duration = .seconds(10)) async throws -> [Element] {
        let reached = told.reached(count)
        let told = told
        guard try await within(limit, { try await reached.value }) != nil else {
            throw TestNetworkError("the observer was told \(told.count) of \(count) changes in \(limit)")
        }
        return take()
    }
}

/// What was told so far, and who waits for more.
private final class ToldChanges<Element: Sendable>: Sendable {
    private struct State {
        var changes: [Element] = []
        var awaited: [(count: Int, reached: Settlement<Void>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.changes.count } }

    func add(_ more: [Element]) {
        let reached = state.withLock { state in
            state.changes += more
            let count = state.changes.count
            defer { state.awaited.removeAll { $0.count <= count } }
            return state.awaited.filter { $0.count <= count }.map(\.reached)
        }
        for settlement in reached { settlement.settle(.success(())) }
    }

    func take() -> [Element] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    /// What is settled once there are so many changes.
    func reached(_ count: Int) -> Settlement<Void> {
        let settlement = Settlement<Void>()
        let isReached = state.withLock { state in
            guard state.changes.count < count else { return true }
            state.awaited.append((count, settlement))
            return false
        }
        if isReached { settlement.settle(.success(())) }
        return settlement
    }
}

extension ChangeRecorder {
    /// Records the changes of models of a Swift type.
    public convenience init<M: Model>(of models: Models<M>) where Element == ModelChange<M> {
        self.init { queue, told in
            models.observe(on: queue) { changes in told.add(changes) }
        }
    }

    /// Records the changes of records.
    public convenience init(of subscriber: Subscriber, _ interest: Interest) where Element == Change {
        self.init { queue, told in
            subscriber.observe(interest, on: queue) { set in told.add(Array(set)) }
        }
    }
}
