import Modelcast

/// An endless row of updates to models at random, at a few nanoseconds each.
///
/// Ids are drawn some ahead and read once, so that an update finds its id in the processor's cache: an application has
/// it there too, having just received or computed it.
struct BenchLoad {
    let ids: [String]
    let updates: [Fields]
    private var numbers: SeededNumbers
    private var ahead = [Int](repeating: 0, count: BenchLoad.aheadCount)
    private var position = BenchLoad.aheadCount
    private var touched: UInt8 = 0

    private static let aheadCount = 32

    init(ids: [String], updates: [Fields], seed: UInt64) {
        self.ids = ids
        self.updates = updates
        numbers = SeededNumbers(seed: seed)
    }

    /// The next update, as positions in ``ids`` and ``updates``: to hand out the values would mean to count references
    /// to them.
    @inline(__always)
    mutating func next() -> (id: Int, fields: Int) {
        if position == BenchLoad.aheadCount { draw() }
        position &+= 1
        return (ahead[position &- 1], numbers.below(updates.count))
    }

    private mutating func draw() {
        position = 0
        for place in ahead.indices { ahead[place] = numbers.below(ids.count) }
        for place in ahead.indices {
            unsafe touched ^= ids[ahead[place]].utf8.withContiguousStorageIfAvailable { unsafe $0[0] } ?? 0
        }
    }
}
