import Dispatch
import ModelCache

/// What was told, in order, from any thread.
final class Heard<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])
    let queue = DispatchQueue(label: "heard")

    func add(_ element: Element) { elements.withLock { $0.append(element) } }

    /// All that was told so far, once everything that is on ``queue`` has been done.
    var all: [Element] {
        queue.sync {}
        return elements.withLock { $0 }
    }

    /// As ``all``, and forgets it.
    func take() -> [Element] {
        queue.sync {}
        return elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
