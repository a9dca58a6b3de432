/// The models of an origin that end, by the time at which each has to be looked at: at its end, or before.
///
/// A model stands in it once, however often its end is moved: a later end is found when the model is looked at.
struct ExpiryQueue {
    /// The type and id of a model.
    struct Key: Hashable {
        let type: String
        let id: String
    }

    private struct Entry {
        let dueAt: UInt64
        let key: Key
    }

    /// A heap: no entry is due before the one above it.
    private var heap: [Entry] = []
    /// When each model is due. An entry of the heap that says another time counts for nothing.
    private var dues: [Key: UInt64] = [:]

    /// How many models end.
    var count: Int { dues.count }

    /// How many entries the heap has; more than models where ends were moved to earlier times.
    var entryCount: Int { heap.count }

    /// When the first model is due; it may be one that is due later by now.
    var dueAt: UInt64? { heap.first?.dueAt }

    /// When a model is due.
    subscript(key: Key) -> UInt64? { dues[key] }

    /// Takes note that a model has to be looked at, unless it is due earlier.
    /// - Complexity: O(log *models*)
    mutating func note(_ key: Key, dueAt: UInt64) {
        if let known = dues[key], known <= dueAt { return }
        dues[key] = dueAt
        heap.append(Entry(dueAt: dueAt, key: key))
        var index = heap.count - 1
        while index > 0, heap[index].dueAt < heap[(index - 1) / 2].dueAt {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes out a model that is due; nil where none is.
    /// - Complexity: O(log *models*)
    mutating func take(now: UInt64) -> Key? {
        while let first = heap.first, first.dueAt <= now {
            removeFirst()
            guard dues[first.key] == first.dueAt else { continue }
            dues[first.key] = nil
            return first.key
        }
        return nil
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].dueAt < heap[least].dueAt {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
