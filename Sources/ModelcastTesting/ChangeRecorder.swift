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
            let now = told.changes.withLock { $0.count }
            (count, turns) = (now, now == count ? turns + 1 : 0)
        }
        return told.changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }
}

private final class ToldChanges<Element: Sendable>: Sendable {
    let changes = Mutex<[Element]>([])
}

extension ChangeRecorder {
    /// Records the changes of models of a Swift type.
    public convenience init<M: Model>(of models: Models<M>) where Element == ModelChange<M> {
        self.init { queue, told in
            models.observe(on: queue) { changes in told.changes.withLock { $0 += changes } }
        }
    }

    /// Records the changes of records.
    public convenience init(of subscriber: Subscriber, _ interest: Interest) where Element == Change {
        self.init { queue, told in
            subscriber.observe(interest, on: queue) { set in told.changes.withLock { $0 += Array(set) } }
        }
    }
}
