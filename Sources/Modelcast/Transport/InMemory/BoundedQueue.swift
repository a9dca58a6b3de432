import ModelCache

/// A queue with a limit for the sum of its elements' sizes. It takes an element while the sum is below the limit, and
/// where it is empty, however large the element is.
struct BoundedQueue<Element: Sendable>: Sendable {
    private var entries = Fifo<(element: Element, size: Int)>()
    var limit: Int
    /// The sum of the sizes.
    private(set) var size = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var isHalfEmpty: Bool { size <= limit / 2 }

    /// - Returns: false where there is no room; the element is dropped then.
    mutating func append(_ element: Element, size elementSize: Int) -> Bool {
        guard isEmpty || size < limit else { return false }
        entries.append((element, elementSize))
        size += elementSize
        return true
    }

    /// Takes the first element.
    /// - Complexity: O(1) amortised
    mutating func takeFirst() -> Element? {
        guard let first = entries.removeFirst() else { return nil }
        size -= first.size
        return first.element
    }

    /// Takes all elements, or so many of the first.
    mutating func take(atMost countMax: Int = .max) -> [Element] {
        var taken: [Element] = []
        while taken.count < countMax, let element = takeFirst() { taken.append(element) }
        return taken
    }
}
