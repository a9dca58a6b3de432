/// The elements that wait for one consumer, in order, in one array.
///
/// Elements that were taken leave a gap at the front. It is closed when it is long and has become half of the array, so
/// that appending and taking cost O(1) amortised. The queue keeps no reference to what was taken.
struct WaitingQueue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    /// The position of the first element that waits.
    private var head = 0

    /// A shorter gap is left open, and an empty array of no more elements keeps its memory.
    private static var gapMin: Int { 1024 }

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    var first: Element? { isEmpty ? nil : elements[head] }
    var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    /// Changes the first element in place, if there is one.
    mutating func changeFirst(_ change: (inout Element) -> Void) { if !isEmpty { changeElement(head, change) } }

    /// Changes the last element in place, if there is one.
    mutating func changeLast(_ change: (inout Element) -> Void) {
        if !isEmpty { changeElement(elements.count - 1, change) }
    }

    /// Taken out meanwhile, so that no list in it is copied.
    private mutating func changeElement(_ index: Int, _ change: (inout Element) -> Void) {
        guard var element = exchange(&elements[index], with: nil) else { return }
        change(&element)
        elements[index] = element
    }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Puts elements before those that wait.
    mutating func putBack(_ earlier: [Element]) { elements.insert(contentsOf: earlier.map(Optional.some), at: head) }

    /// Takes the first element; nil where none waits.
    mutating func takeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = exchange(&elements[head], with: nil)
        head += 1
        if isEmpty {
            elements.removeAll(keepingCapacity: elements.capacity <= WaitingQueue.gapMin)
            head = 0
        } else if head >= WaitingQueue.gapMin, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes all that wait.
    mutating func takeAll() -> [Element] {
        let all = elements[head...].compactMap(\.self)
        (elements, head) = ([], 0)
        return all
    }
}
