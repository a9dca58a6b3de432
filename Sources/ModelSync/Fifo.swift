/// A queue in one array. Removed elements leave a gap at the front, which is closed when it has become half of the
/// array, so that appending and removing cost O(1) amortised.
struct Fifo<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : elements[head] }
    var last: Element? { count == 0 ? nil : elements[elements.count - 1] }

    /// The element at a position, counted from the front.
    subscript(index: Int) -> Element {
        get {
            guard let element = elements[head + index] else { preconditionFailure("only what is in front was taken") }
            return element
        }
        _modify {
            guard var element = elements[head + index] else { preconditionFailure("only what is in front was taken") }
            elements[head + index] = nil
            defer { elements[head + index] = element }
            yield &element
        }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    /// - Complexity: O(*n*)
    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        elements = elements[head...].filter { element in element.map { !isUnwanted($0) } ?? false }
        head = 0
    }

    /// - Complexity: O(*elements behind it*)
    mutating func insert(_ element: Element, at index: Int) { elements.insert(element, at: head + index) }

    /// - Complexity: O(1) amortised
    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head >= 32, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
