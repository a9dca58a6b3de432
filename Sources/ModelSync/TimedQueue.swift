/// Elements by time; those of one instant in the order in which they were added. A binary heap.
package struct TimedQueue<Element> {
    @usableFromInline struct Entry {
        @usableFromInline var time: UInt64
        @usableFromInline var number: UInt64
        @usableFromInline var element: Element

        @inlinable init(time: UInt64, number: UInt64, element: Element) {
            (self.time, self.number, self.element) = (time, number, element)
        }

        @inlinable func precedes(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    @usableFromInline var heap: [Entry] = []
    @usableFromInline var added: UInt64 = 0

    /// A queue without elements.
    @inlinable package init() {}

    /// How many elements there are.
    @inlinable package var count: Int { heap.count }

    /// When the next element is due.
    @inlinable package var nextTime: UInt64? { heap.isEmpty ? nil : heap[0].time }

    /// Adds an element.
    /// - Complexity: O(log *n*)
    @inlinable package mutating func add(_ element: Element, at time: UInt64) {
        heap.append(Entry(time: time, number: added, element: element))
        added += 1
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes the element that is due first.
    /// - Complexity: O(log *n*)
    @inlinable package mutating func removeFirst() -> (time: UInt64, element: Element)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.element) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            if least == parent { return (first.time, first.element) }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
