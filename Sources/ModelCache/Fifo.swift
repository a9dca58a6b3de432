/// A queue in one array. Elements that were taken leave a gap at the front, which is closed when it has become half of
/// the array, so that appending and taking cost O(1) amortised. The queue keeps no reference to what was taken.
@usableFromInline
package struct Fifo<Element: Sendable>: Sendable {
    @usableFromInline var elements: [Element?] = []
    /// The position of the first element.
    @usableFromInline var head = 0

    /// A shorter gap is left open.
    @inlinable static var gapMin: Int { 32 }
    /// A queue that has become empty keeps the memory of so many elements.
    @inlinable static var keptMax: Int { 1024 }

    /// An empty queue.
    @inlinable package init() {}

    @inlinable package var count: Int { elements.count - head }
    @inlinable package var isEmpty: Bool { head == elements.count }
    @inlinable package var first: Element? { isEmpty ? nil : elements[head] }
    @inlinable package var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    /// The element at a position, counted from the front. It is changed in place.
    @inlinable package subscript(index: Int) -> Element {
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

    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    /// - Complexity: O(*n*)
    @inlinable package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        elements = elements[head...].filter { element in element.map { !isUnwanted($0) } ?? false }
        head = 0
    }

    /// - Complexity: O(*elements behind it*)
    @inlinable package mutating func insert(_ element: Element, at index: Int) {
        elements.insert(element, at: head + index)
    }

    /// Puts elements before all others.
    /// - Complexity: O(*n*)
    @inlinable package mutating func prepend(_ earlier: [Element]) {
        elements.insert(contentsOf: earlier.map(Optional.some), at: head)
    }

    /// Takes the first element; nil where there is none.
    /// - Complexity: O(1) amortised
    @inlinable package mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if isEmpty {
            elements.removeAll(keepingCapacity: elements.capacity <= Fifo.keptMax)
            head = 0
        } else if head >= Fifo.gapMin, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes all elements.
    /// - Complexity: O(*n*)
    @inlinable package mutating func takeAll() -> [Element] {
        let all = elements[head...].compactMap(\.self)
        (elements, head) = ([], 0)
        return all
    }
}
