import CPrefetch
import Modelcast

/// An endless row of updates to models at random, at a few nanoseconds each.
///
/// Ids are drawn some ahead and asked for, so that an update finds its id in the processor's cache: an application has
/// it there too, having just received or computed it.
struct BenchLoad {
    let ids: [String]
    let updates: [Fields]
    private var numbers: SeededNumbers
    private var ahead = InlineArray<32, Int>(repeating: 0)
    private var position = 32

    init(ids: [String], updates: [Fields], seed: UInt64) {
        (self.ids, self.updates) = (ids, updates)
        numbers = SeededNumbers(seed: seed)
    }

    /// The next update, as positions in ``ids`` and ``updates``: to hand out the values would mean to count references
    /// to them.
    @inline(__always)
    mutating func next() -> (id: Int, fields: Int) {
        if position == ahead.count { draw() }
        position &+= 1
        return (ahead[position &- 1], numbers.below(updates.count))
    }

    private mutating func draw() {
        position = 0
        for place in ahead.indices { ahead[place] = numbers.below(ids.count) }
        for place in ahead.indices {
            unsafe ids[ahead[place]].utf8.withContiguousStorageIfAvailable { text in
                // The text stands behind the 32 bytes of its object's header: in one or two lines of memory.
                guard let start = text.baseAddress else { return }
                unsafe cprefetch(start - 32)
                unsafe cprefetch(start + (text.count - 1))
            }
        }
    }
}
