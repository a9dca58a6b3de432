import CPrefetch
import Modelcast

/// An endless sequence of updates to random models, at a few nanoseconds each.
///
/// Ids are drawn ahead of their use and prefetched, so that an update finds its id in the processor's cache. An
/// application has its id there too, because it has just received or computed it.
struct BenchLoad {
    let ids: [String]
    let updates: [Fields]
    /// The addresses of the first and the last byte of each id's text; 0 for a short id, which has no memory of its
    /// own. Asking the strings for them each time would count references to them, and so wait for their memory.
    private let texts: [(first: UInt, last: UInt)]
    private var numbers: SeededNumbers
    private var ahead = InlineArray<32, Int>(repeating: 0)
    /// The ids after those in `ahead`. Their strings are being prefetched; their texts are prefetched next.
    private var farAhead: InlineArray<32, Int>
    private var position = 32

    init(ids: [String], updates: [Fields], seed: UInt64) {
        (self.ids, self.updates) = (ids, updates)
        texts = ids.map { id in
            // The addresses are kept as numbers, and used for prefetching only: nothing is read through them.
            let place = unsafe id.utf8.withContiguousStorageIfAvailable { text -> (first: UInt, last: UInt)? in
                guard let start = text.baseAddress, text.count > 15 else { return nil }
                return unsafe (UInt(bitPattern: start), UInt(bitPattern: start + (text.count - 1)))
            }
            return place.flatMap(\.self) ?? (0, 0)
        }
        numbers = SeededNumbers(seed: seed)
        farAhead = InlineArray(repeating: 0)
        for place in farAhead.indices { farAhead[place] = numbers.below(ids.count) }
    }

    /// The next update, as positions in ``ids`` and ``updates``. Returning the values would count references to them.
    @inline(__always)
    mutating func next() -> (id: Int, fields: Int) {
        if position == ahead.count { draw() }
        position &+= 1
        return (ahead[position &- 1], numbers.below(updates.count))
    }

    private mutating func draw() {
        position = 0
        ahead = farAhead
        for place in farAhead.indices {
            farAhead[place] = numbers.below(ids.count)
            let id = farAhead[place]
            unsafe ids.withUnsafeBufferPointer { unsafe cprefetch($0.baseAddress.map { unsafe $0 + id }) }
            unsafe texts.withUnsafeBufferPointer { unsafe cprefetch($0.baseAddress.map { unsafe $0 + id }) }
        }
        for place in ahead.indices {
            let text = texts[ahead[place]]
            // The text stands behind the 32 bytes of its object's header: in one or two lines of memory.
            unsafe cprefetch(UnsafeRawPointer(bitPattern: text.first &- 32))
            unsafe cprefetch(UnsafeRawPointer(bitPattern: text.last))
        }
    }
}
