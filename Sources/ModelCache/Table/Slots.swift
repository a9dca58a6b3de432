import CPrefetch
import CSlots
import ModelRecord
import Synchronization

/// An open-addressing array of slots with linear probing: eight bytes a place, each a ``SlotWord``.
///
/// The home of a slot is what the leading bits of its *key*, behind those that choose the shard, are of the capacity.
/// So slots stand roughly in the order of their keys: a range of keys is one stretch of slots, whatever the capacity
/// (see ``forEach(in:_:)``). The key is the hash of the id, until so many ids hash alike that somebody must have chosen
/// them (``isCrowded(_:to:)``); from then on the array is *seeded*: see ``key(_:_:)``.
///
/// What readers do here without any other lock, and why that is right, stands at ``take(_:_:)`` and
/// ``prefetchRecord(_:byteCount:)``. All else is the writer's, who alone changes what places hold, but for the bit by
/// which readers lock one; or it is for those who keep the writer out by the shard's lock.
///
/// Safe to use: the pointer is private, every index is kept below `capacity`, and the memory is that of ``SlotMemory``,
/// which frees it when no thread can be using it. Copies share the memory.
@safe struct SlotArray {
    typealias Place = Atomic<UInt64>

    let base: UnsafeMutablePointer<Place>
    let capacity: Int
    /// Places come from a hash that nobody outside of the process can know.
    let isSeeded: Bool

    /// The bits of a hash that choose the shard.
    static let shardBits: UInt64 = 6
    /// A record is asked for so many places before it is looked at.
    private static let ahead = 12

    /// The hash of an id as slots have it: its top 8 bits are the bucket.
    /// - Parameter idHash: FNV-1a of the id.
    @inline(__always)
    static func hash(idHash: UInt64) -> UInt64 { max(Fingerprint.mix(idHash), 1) }

    /// - Parameter base: so many places, initialised.
    @inline(__always)
    init(base: UnsafeMutablePointer<Place>, capacity: Int, isSeeded: Bool) {
        unsafe self.base = base
        self.capacity = capacity
        self.isSeeded = isSeeded
    }

    /// What an id's place here comes from: the hash, or in a seeded array its bucket and a seeded hash of the id. A
    /// bucket is one stretch of places either way.
    @inline(__always)
    func key(_ hash: UInt64, _ id: Span<UInt8>) -> UInt64 { isSeeded ? SlotArray.seededKey(hash, id) : hash }

    /// The same for the id of a record.
    @inline(__always)
    func key(_ hash: UInt64, of record: UnmanagedRecord) -> UInt64 {
        isSeeded ? unsafe record.lend { SlotArray.seededKey(hash, $0.idBytes) } : hash
    }

    @inline(never)
    static func seededKey(_ hash: UInt64, _ id: Span<UInt8>) -> UInt64 {
        hash & (0xFF &<< 56) | max(SeededHash.of(id) &>> 8, 1)
    }

    // In bounds, all of these: home is below the capacity as it is a fraction of that, and so is what follows.

    @inline(__always)
    func home(_ key: UInt64) -> Int {
        Int(
            truncatingIfNeeded: (key &<< SlotArray.shardBits)
                .multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
    }

    @inline(__always)
    func next(_ index: Int) -> Int { index &+ 1 == capacity ? 0 : index &+ 1 }

    /// How many places `index` lies behind `start`.
    @inline(__always)
    private func distance(from start: Int, to index: Int) -> Int {
        index >= start ? index &- start : index &- start &+ capacity
    }

    /// What a place holds, without a reader's lock. Relaxed: whoever asks here has a lock in common with who wrote it.
    @inline(__always)
    func word(at index: Int) -> SlotWord {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: capacity), "an index below the capacity")
        return SlotWord(bits: unsafe base[index].load(ordering: .relaxed)).unlocked
    }

    /// The record at `index`, not counted.
    @inline(__always)
    func unmanaged(at index: Int) -> UnmanagedRecord? { unsafe word(at: index).record }

    // MARK: Looking

    /// The first slot that `hash` can be in, or -1: without a look at its record, which may belong to another id. In a
    /// seeded array, where the hash does not tell, any slot.
    @inline(__always)
    func candidate(_ hash: UInt64) -> Int {
        if isSeeded { return 0 }
        var index = home(hash)
        while true {
            // It ends: the array is never full.
            let word = word(at: index)
            if word.isEmpty { return -1 }
            if word.resembles(hash) { return index }
            index = next(index)
        }
    }

    /// The slot that holds the record of `id`, or -1.
    @inline(__always)
    func find(_ hash: UInt64, _ id: Span<UInt8>) -> Int {
        if isSeeded { return findSeeded(hash, id) }
        return search(hash, id, from: home(hash))
    }

    /// The slot that holds the record of `id`, or -1, when it is known that no slot before `start` can.
    /// - Parameter start: of ``candidate(_:)``.
    @inline(__always)
    func find(_ hash: UInt64, _ id: Span<UInt8>, from start: Int) -> Int {
        if isSeeded { return findSeeded(hash, id) }
        return search(hash, id, from: start)
    }

    @inline(never)
    private func findSeeded(_ hash: UInt64, _ id: Span<UInt8>) -> Int {
        let key = SlotArray.seededKey(hash, id)
        return search(key, id, from: home(key))
    }

    @inline(__always)
    private func search(_ key: UInt64, _ id: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while true {
            let word = word(at: index)
            if word.isEmpty { return -1 }
            if word.resembles(key), unsafe word.record?.hasID(id) ?? false { return index }
            index = next(index)
        }
    }

    /// The slot that holds a record of the same id, or -1.
    func find(_ hash: UInt64, of other: UnmanagedRecord) -> Int { unsafe other.lend { find(hash, $0.idBytes) } }

    /// The record at `index`.
    @inline(__always)
    func record(at index: Int) -> CellRecord? { unsafe unmanaged(at: index)?.record }

    /// The model at `index` exists.
    @inline(__always)
    func exists(at index: Int) -> Bool { unsafe unmanaged(at: index)?.exists ?? false }

    /// Applies `update` to the record at `index`, which stays where it is.
    @inline(__always)
    func applying(
        _ update: borrowing UpdateView, at index: Int, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        if let record = unsafe unmanaged(at: index) {
            return unsafe record.applying(update, plan: &plan, keepingEqual: keepingEqual)
        }
        return unsafe UnmanagedMerge(CellRecord.applying(update, to: nil, plan: &plan, keepingEqual: keepingEqual))
    }

    /// Begins what ``applying(_:at:plan:keepingEqual:)`` does: see there, and `UnmanagedRecord.prepare`.
    @inline(__always)
    func prepare(
        _ update: borrowing UpdateView, at index: Int, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        guard let record = unsafe unmanaged(at: index) else {
            preconditionFailure("a slot that was found has a record")
        }
        return unsafe record.prepare(update, plan: &plan, keepingEqual: keepingEqual)
    }

    /// Makes the record that was prepared.
    @inline(__always)
    func finish(_ merge: inout UnmanagedMerge, _ update: borrowing UpdateView, at index: Int, plan: inout MergePlan) {
        unsafe unmanaged(at: index)?.finish(&merge, update, plan: &plan)
    }

    /// Gives the record of `pending` what the one at `index` carries over.
    @inline(__always)
    func carryViews(to pending: borrowing Pending, at index: Int) {
        guard let old = unsafe unmanaged(at: index), let new = unsafe pending.held else { return }
        unsafe old.carryViews(to: new)
    }

    /// Asks for the slot where a search for `hash` begins. Does not wait for it. In vain where the array is seeded.
    @inline(__always)
    func prefetchHome(_ hash: UInt64) { unsafe cprefetch(base + home(hash)) }

    /// Where the record at `index` is, to ask for its memory; nil where there is none.
    @inline(__always)
    func address(at index: Int) -> UnsafeRawPointer? { unsafe word(at: index).address }

    /// Calls `body` for each record in `window`, with its hash. For the writer, and for who keeps it out.
    ///
    /// All of them stand between the home of the first key and the first empty place behind the home of the last one.
    @inline(__always)
    func forEach(in window: HashWindow, _ body: (UInt64, UnmanagedRecord) -> Void) {
        let keys = window.keys(isSeeded: isSeeded)
        let last = home(keys.upperBound)
        var index = home(keys.lowerBound)
        var far = index
        for _ in 0..<min(SlotArray.ahead, capacity) { far = askAhead(far) }
        var isPastLast = false
        for _ in 0..<capacity {
            far = askAhead(far)
            if let record = unsafe unmanaged(at: index) {
                let hash = unsafe SlotArray.hash(idHash: record.idHash)
                if unsafe window.contains(hash, record) { unsafe body(hash, record) }
            } else if isPastLast {
                return
            }
            if index == last { isPastLast = true }
            index = next(index)
        }
    }

    /// Asks for the head of the record at `index`.
    /// - Returns: the next index.
    @inline(__always)
    private func askAhead(_ index: Int) -> Int {
        unsafe cprefetch(word(at: index).address)
        return next(index)
    }

    // MARK: The writer

    /// Exchanges the record at `index` for that of `pending`; both counts change hands.
    @inline(__always)
    func exchange(_ pending: inout Pending, at index: Int) {
        guard let new = unsafe pending.held else { return }
        // Of the same id: the end of its key is there.
        unsafe pending.held = replace(at: index, with: SlotWord(new, likeness: word(at: index))).record
    }

    /// Puts a word into a place, as soon as no reader has it locked.
    ///
    /// What a reader did before he left the place is seen by who calls this, and what the caller did before is seen by
    /// readers of the new word.
    /// - Returns: the word before.
    @inline(__always)
    @discardableResult
    private func replace(at index: Int, with word: SlotWord) -> SlotWord {
        let old = self.word(at: index)
        var turn: UInt32 = 0
        // Nothing but a reader's lock can make the place differ from `old`: nobody else writes.
        while true {
            let isDone = unsafe base[index].compareExchange(
                expected: old.bits, desired: word.bits, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed
            ).exchanged
            if isDone { return old }
            cslots_wait(turn)
            turn &+= 1
        }
    }

    /// Puts a new hash and its record into the first empty place. The caller sees to it that there is one.
    /// - Returns: how far that is from where it belongs.
    func insert(_ hash: UInt64, _ record: consuming CellRecord) -> Int {
        let key = key(hash, record.idBytes)
        var index = home(key)
        while !word(at: index).isEmpty { index = next(index) }
        // A plain store, as readers change no empty place.
        let word = unsafe SlotWord(UnmanagedRecord(record), hash: key)
        unsafe base[index].store(word.bits, ordering: .releasing)
        return distance(from: home(key), to: index)
    }

    /// Of the records in the so many places from the home of `hash` on, too many hash so nearly alike that it is by
    /// accident. False where the array is seeded.
    ///
    /// Also records that come in the order of their hashes, as those of a snapshot do, crowd one part of the places.
    /// But of *n* ids *n* / 2¹⁸ are within a distance of 2⁴⁵ of a hash: 16 of four million, and never more than 64.
    func isCrowded(_ hash: UInt64, to distance: Int) -> Bool {
        guard !isSeeded else { return false }
        var near = 0
        var index = home(hash)
        for _ in 0...distance {
            if let record = unsafe unmanaged(at: index) {
                let other = unsafe SlotArray.hash(idHash: record.idHash)
                if max(hash, other) &- min(hash, other) <= SlotArray.nearness { near &+= 1 }
            }
            index = next(index)
        }
        return near > SlotArray.nearMax
    }

    private static let nearness: UInt64 = 1 << 45
    private static let nearMax = 64

    /// Empties the place at `index` and closes the gap: what stands behind it and belongs before moves up. Readers
    /// may miss a record meanwhile; see ``take(_:_:)``.
    /// - Returns: the record, with the count that the place owned.
    func remove(at index: Int) -> UnmanagedRecord? {
        let removed = word(at: index)
        var hole = index
        var probe = next(hole)
        while let record = unsafe unmanaged(at: probe) {
            let home = unsafe home(key(SlotArray.hash(idHash: record.idHash), of: record))
            // It may move up unless its home lies behind the hole.
            if distance(from: home, to: probe) >= distance(from: hole, to: probe) {
                replace(at: hole, with: word(at: probe))
                hole = probe
            }
            probe = next(probe)
        }
        replace(at: hole, with: .empty)
        return unsafe removed.record
    }

    /// Copies all slots to a larger array that nobody sees yet, and that may be seeded where this one is not.
    func copy(to larger: SlotArray) {
        var far = 0
        for _ in 0..<min(SlotArray.ahead, capacity) { far = askAhead(far) }
        for index in 0..<capacity {
            far = askAhead(far)
            let word = word(at: index)
            guard let record = unsafe word.record else { continue }
            let key = unsafe larger.key(SlotArray.hash(idHash: record.idHash), of: record)
            var target = larger.home(key)
            while !larger.word(at: target).isEmpty { target = larger.next(target) }
            // Published with the array.
            unsafe larger.base[target].store(SlotWord(record, hash: key).bits, ordering: .relaxed)
        }
    }

    /// Empties all places, whose counts have gone to another array. From now on no reader gets anything here.
    func empty() {
        for index in 0..<capacity where !word(at: index).isEmpty { replace(at: index, with: .empty) }
    }

    /// Releases all records. Nobody may be using the array.
    func releaseAll() {
        for index in 0..<capacity { unsafe unmanaged(at: index)?.release() }
    }
}
