/// Events by time; those of one instant in the order in which they were added. A binary heap.
struct EventQueue<Event> {
    private struct Entry {
        var time: UInt64
        var number: UInt64
        var event: Event

        func precedes(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var heap: [Entry] = []
    private var added: UInt64 = 0

    /// When the next event is due.
    var nextTime: UInt64? { heap.first?.time }

    mutating func add(_ event: Event, at time: UInt64) {
        heap.append(Entry(time: time, number: added, event: event))
        added += 1
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() -> Event? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.event }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            if least == parent { return first.event }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
