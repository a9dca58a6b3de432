/// Elements by time; those of one instant in the order in which they were added. A binary heap.
package struct TimedQueue<Element> {
    @usableFromInline struct Entry {
        @usableFromInline var time: UInt64
        @usableFromInline var number: UInt64
        @usableFromInline var element: Element

        @inlinable init(time: UInt64, number: UInt64, element: Element) {
            (self.time, self.number, self.element) = (time, number, element)
        }

        @inlinable func precedes(_ other: Entry) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
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
        let entry = Entry(time: time, number: added, element: element)
        added += 1
        heap.append(entry)
        var place = heap.count - 1
        while place > 0, entry.precedes(heap[(place - 1) / 2]) {
            heap[place] = heap[(place - 1) / 2]
            place = (place - 1) / 2
        }
        heap[place] = entry
    }

    /// Removes the element that is due first.
    /// - Complexity: O(log *n*)
    @inlinable package mutating func removeFirst() -> (time: UInt64, element: Element)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        let count = heap.count
        guard count > 0 else { return (first.time, first.element) }
        var place = 0
        while true {
            var least = 2 * place + 1
            guard least < count else { break }
            if least + 1 < count, heap[least + 1].precedes(heap[least]) { least += 1 }
            guard heap[least].precedes(last) else { break }
            heap[place] = heap[least]
            place = least
        }
        heap[place] = last
        return (first.time, first.element)
    }
}
