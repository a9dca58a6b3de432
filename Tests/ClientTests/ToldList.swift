import Dispatch
import Synchronization

/// What handlers were told, in its order, and the serial queue on which they are called.
final class ToldList<Element: Sendable>: Sendable {
    let queue = DispatchQueue(label: "told")
    private let list = Mutex<[Element]>([])

    func add(_ element: Element) { list.withLock { $0.append(element) } }

    /// What was told since the last call. A call on the queue may queue the next one, so turns of the queue are awaited
    /// until two of them have brought nothing.
    func take() -> [Element] {
        var (count, turns) = (-1, 0)
        while turns < 2 {
            queue.sync {}
            let now = list.withLock { $0.count }
            (count, turns) = (now, now == count ? turns + 1 : 0)
        }
        return list.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
