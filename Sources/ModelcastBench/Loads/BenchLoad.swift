import CPrefetch
import Modelcast

/// An endless row of updates to models at random, at a few nanoseconds each.
///
/// Ids are drawn some ahead and asked for, so that an update finds its id in the processor's cache: an application has
/// it there too, having just received or computed it.
struct BenchLoad {
    let ids: [String]
    let updates: [Fields]
    /// Where the text of each id begins and its last byte stands; 0 for a short one, which has no memory of its own.
    /// To ask the strings each time would mean to count references to them, and so to wait for their memory.
    private let texts: [(first: UInt, last: UInt)]
    private var numbers: SeededNumbers
    private var ahead = InlineArray<32, Int>(repeating: 0)
    /// What follows those: their strings are being fetched, by which their texts will be found.
    private var farAhead: InlineArray<32, Int>
    private var position = 32

    init(ids: [String], updates: [Fields], seed: UInt64) {
        (self.ids, self.updates) = (ids, updates)
        texts = ids.map { id in
            // Kept as numbers, which are only asked for: no memory is reached by them.
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
