import CPrefetch
import ModelRecord

/// The observers of the models of a type, by mixed hash: open addressing, one seat for each hash. Under the cut lock.
///
/// No id is hashed again. The home of a hash is its product with a factor that only this process knows, as ids may be
/// chosen so that their hashes lie together. A table of few hashes has a filter before it, which fits the nearest
/// cache. In a table of many hashes most look-ups find an observer, so ``prefetch(_:)`` asks for the entry ahead of
/// time instead.
///
/// Safe to use: the pointer is private, every index is kept below `capacity`, a power of two, and the memory lives
/// until ``destroy()``. Copies share it.
// Unchecked because of the pointer: what is behind it is touched only under the cut lock.
@safe struct InterestTable: @unchecked Sendable {
    @unsafe private struct InterestEntry {
        /// 0 marks an empty entry; no mixed hash is 0.
        var hash: UInt64
        var seat: Seat
    }

    private var base: UnsafeMutablePointer<InterestEntry>
    private var capacity: Int
    private var shift: UInt64
    private let factor = SeededHash.factor
    private(set) var count = 0
    private var filter: HashFilter?

    private static let capacityMin = 16
    /// A table of more than twice as many entries does without a filter.
    private static let filteredMax = 32_768

    init() { self.init(capacity: InterestTable.capacityMin) }

    private init(capacity: Int) {
        self.capacity = capacity
        shift = UInt64(64 - capacity.trailingZeroBitCount)
        unsafe base = .allocate(capacity: capacity)
        unsafe base.initialize(repeating: InterestEntry(hash: 0, seat: .nobody), count: capacity)
        filter = HashFilter(capacity: capacity)
    }

    func destroy() { unsafe base.deallocate() }

    @inline(__always)
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash &* factor) &>> shift) }

    @inline(__always)
    private func next(_ index: Int) -> Int { (index &+ 1) & (capacity &- 1) }

    /// The entry of `hash`, or the empty one where it would stand. The search ends, as the table is never full.
    @inline(__always)
    private func index(of hash: UInt64) -> Int {
        var index = home(hash)
        while unsafe base[index].hash != hash, unsafe base[index].hash != 0 { index = next(index) }
        return index
    }

    /// The seat of `hash`; nil where no observer has the hash.
    @inline(__always)
    func seat(_ hash: UInt64) -> Seat? {
        if let filter, !filter.mayContain(hash) { return nil }
        let index = index(of: hash)
        return unsafe base[index].hash == 0 ? nil : base[index].seat
    }

    /// True where a prefetch is worth its time.
    var isLarge: Bool { filter == nil }

    /// Asks for the home of `hash`. Does not wait for it.
    @inline(__always)
    func prefetch(_ hash: UInt64) { unsafe cprefetch(base + home(hash)) }

    /// Gives `hash` a seat, or replaces the one that it has.
    mutating func set(_ hash: UInt64, _ seat: Seat) {
        // The table is at most five eighths full, so that a search looks at two entries on average.
        if (count + 1) * 8 > capacity * 5 { resize(capacity * 2) }
        let index = index(of: hash)
        if unsafe base[index].hash == 0 {
            count += 1
            if filter?.isFull ?? false { refill() }
            filter?.insert(hash)
        }
        unsafe base[index] = InterestEntry(hash: hash, seat: seat)
    }

    /// Removes `hash` and closes the gap: an entry behind it that belongs before the gap moves up.
    mutating func remove(_ hash: UInt64) {
        var hole = index(of: hash)
        guard unsafe base[hole].hash != 0 else { return }
        var probe = next(hole)
        let mask = capacity &- 1
        while unsafe base[probe].hash != 0 {
            let home = unsafe home(base[probe].hash)
            if (probe &- home) & mask >= (probe &- hole) & mask {
                unsafe base[hole] = base[probe]
                hole = probe
            }
            probe = next(probe)
        }
        unsafe base[hole] = InterestEntry(hash: 0, seat: .nobody)
        count -= 1
        // The filter keeps the hash. It may say "maybe" of a hash that is gone, but never "no" of one that is there.
        if capacity > InterestTable.capacityMin, count * 8 < capacity { resize(capacity / 2) }
    }

    private mutating func resize(_ capacity: Int) {
        var other = InterestTable(capacity: capacity)
        for index in 0..<self.capacity {
            let entry = unsafe base[index]
            guard unsafe entry.hash != 0 else { continue }
            let target = unsafe other.index(of: entry.hash)
            unsafe other.base[target] = entry
            unsafe other.filter?.insert(entry.hash)
        }
        other.count = count
        if capacity > InterestTable.filteredMax * 2 { other.filter = nil }
        destroy()
        self = other
    }

    /// Makes the filter anew, without the hashes that have gone.
    private mutating func refill() {
        var fresh = HashFilter(capacity: capacity)
        for index in 0..<capacity where unsafe base[index].hash != 0 { unsafe fresh.insert(base[index].hash) }
        filter = fresh
    }
}
