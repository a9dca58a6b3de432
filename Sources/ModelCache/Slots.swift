import CPrefetch
import ModelRecord

/// One place of a shard: the mixed hash of an id, and the record; 16 bytes. A hash of 0 marks an empty place.
@unsafe struct Slot {
    var hash: UInt64
    /// Owns a count; set wherever the hash is not 0.
    var record: UnmanagedRecord?
}

/// An open-addressing array of slots with linear probing.
///
/// The home of a hash is its leading bits behind those that choose the shard, so that slots stand roughly in the order
/// of their hashes: a range of hashes is one stretch of slots, whatever the capacity (see ``forEach(hashes:_:)``).
///
/// Safe to use: the pointer is private and every index is kept below `capacity`. Copies share the memory, which
/// ``Shards`` frees only when no thread can be using it.
@safe struct SlotArray {
    private let base: UnsafeMutablePointer<Slot>
    let capacity: Int
    private let shift: UInt64

    /// The bits of a hash that choose the shard.
    static let shardBits: UInt64 = 6

    /// The hash of an id as slots hold it: its top 8 bits are the bucket; never 0.
    /// - Parameter idHash: FNV-1a of the id.
    @inline(__always)
    static func hash(idHash: UInt64) -> UInt64 { max(Fingerprint.mix(idHash), 1) }

    /// An empty array.
    /// - Parameter capacity: a power of two, at least 4.
    init(capacity: Int) {
        precondition(capacity >= 4 && capacity & (capacity - 1) == 0, "a capacity is a power of two from 4 on")
        self.capacity = capacity
        shift = UInt64(64 - capacity.trailingZeroBitCount)
        unsafe base = .allocate(capacity: capacity)
        unsafe base.initialize(repeating: Slot(hash: 0, record: nil), count: capacity)
    }

    /// Frees the array after its slots went to a larger one.
    func deallocateMoved() { unsafe base.deallocate() }

    /// Releases all records and frees the array.
    func destroy() {
        for index in 0..<capacity { unsafe base[index].record?.release() }
        unsafe base.deallocate()
    }

    @inline(__always)
    private func home(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: (hash &<< SlotArray.shardBits) &>> shift)
    }

    @inline(__always)
    private func next(_ index: Int) -> Int { (index &+ 1) & (capacity &- 1) }

    /// The first slot of `hash`, or -1: without a look at its record, which may belong to another id.
    @inline(__always)
    func candidate(_ hash: UInt64) -> Int {
        var index = home(hash)
        while true {
            // In bounds: home and next stay below capacity. It ends: the array is never full.
            let found = unsafe base[index].hash
            if found == hash { return index }
            if found == 0 { return -1 }
            index = next(index)
        }
    }

    /// The slot that holds the record of `id`, or -1.
    @inline(__always)
    func find(_ hash: UInt64, _ id: Span<UInt8>) -> Int {
        find(hash, id, from: home(hash))
    }

    /// The slot that holds the record of `id`, or -1, when it is known that no slot before `start` can.
    @inline(__always)
    func find(_ hash: UInt64, _ id: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while true {
            let found = unsafe base[index].hash
            if found == 0 { return -1 }
            if found == hash, unsafe base[index].record?.hasID(id) ?? false { return index }
            index = next(index)
        }
    }

    /// The record at `index`.
    @inline(__always)
    func record(at index: Int) -> Record? { unsafe base[index & (capacity &- 1)].record?.record }

    /// The model at `index` exists.
    @inline(__always)
    func exists(at index: Int) -> Bool { unsafe base[index & (capacity &- 1)].record?.exists ?? false }

    /// Applies `update` to the record at `index`, which stays where it is.
    @inline(__always)
    func applying(
        _ update: borrowing UpdateView, at index: Int, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        if let record = unsafe base[index & (capacity &- 1)].record {
            return unsafe record.applying(update, plan: &plan, keepingEqual: keepingEqual)
        }
        return unsafe UnmanagedMerge(Record.applying(update, to: nil, plan: &plan, keepingEqual: keepingEqual))
    }

    /// Gives the record of `pending` what the one at `index` carries over.
    @inline(__always)
    func carryViews(to pending: borrowing Pending, at index: Int) {
        guard let old = unsafe base[index & (capacity &- 1)].record, let new = unsafe pending.held else { return }
        unsafe old.carryViews(to: new)
    }

    /// Exchanges the record at `index` for that of `pending`; both counts change hands.
    @inline(__always)
    func exchange(_ pending: inout Pending, at index: Int) {
        let place = unsafe base + (index & (capacity &- 1))
        unsafe swap(&place.pointee.record, &pending.held)
    }

    /// Asks for the slot where a search for `hash` begins. Does not wait for it.
    @inline(__always)
    func prefetchHome(_ hash: UInt64) { unsafe cprefetch(base + home(hash)) }

    /// Asks for the record at `index`, which is thought to be of `byteCount` bytes. Does not wait for it.
    @inline(__always)
    func prefetchRecord(at index: Int, byteCount: Int) {
        unsafe base[index & (capacity &- 1)].record?.prefetch(byteCount: byteCount)
    }

    /// Puts a new hash and its record into the first empty place. The caller sees to it that there is one.
    /// - Returns: how far that is from where it belongs.
    func insert(_ hash: UInt64, _ record: consuming Record) -> Int {
        var index = home(hash)
        while unsafe base[index].hash != 0 { index = next(index) }
        unsafe base[index] = Slot(hash: hash, record: UnmanagedRecord(record))
        return (index &- home(hash)) & (capacity &- 1)
    }

    /// Empties the place at `index` and closes the gap: what stands behind it and belongs before moves up.
    /// - Returns: the record, with the count that the place owned.
    func remove(at index: Int) -> Record? {
        var hole = index & (capacity &- 1)
        let record = unsafe base[hole].record?.take()
        var probe = next(hole)
        while unsafe base[probe].hash != 0 {
            let home = unsafe home(base[probe].hash)
            let mask = capacity &- 1
            // It may move up unless its home lies behind the hole.
            if (probe &- home) & mask >= (probe &- hole) & mask {
                unsafe base[hole] = base[probe]
                hole = probe
            }
            probe = next(probe)
        }
        unsafe base[hole] = Slot(hash: 0, record: nil)
        return record
    }

    /// An array of twice the capacity with the same slots. This one keeps its bits, which no longer own the records:
    /// readers may go on reading them until ``deallocateMoved()``.
    func grown() -> SlotArray {
        let larger = SlotArray(capacity: capacity * 2)
        for index in 0..<capacity where unsafe base[index].hash != 0 {
            var target = unsafe larger.home(base[index].hash)
            while unsafe larger.base[target].hash != 0 { target = larger.next(target) }
            // The count changes hands; the source stays readable.
            unsafe larger.base[target] = base[index]
        }
        return larger
    }

    /// Calls `body` for each record whose hash is in `hashes`.
    ///
    /// All of them stand between the home of the first hash and the first empty place behind the home of the last one.
    func forEach(hashes: ClosedRange<UInt64>, _ body: (UInt64, Record) -> Void) {
        let last = home(hashes.upperBound)
        var index = home(hashes.lowerBound)
        var visited = 0
        var isPastLast = false
        while visited < capacity {
            let hash = unsafe base[index].hash
            if isPastLast, hash == 0 { return }
            if hashes.contains(hash), let record = unsafe base[index].record?.record { body(hash, record) }
            if index == last { isPastLast = true }
            index = next(index)
            visited &+= 1
        }
    }
}
