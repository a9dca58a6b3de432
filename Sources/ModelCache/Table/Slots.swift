import CPrefetch
import CSlots
@_spi(RecordWriting) import ModelRecord
import Synchronization

/// An open-addressing array of slots with linear probing: eight bytes a place, each a ``SlotWord``.
///
/// The home of a slot is a fraction of the capacity: the one that the leading bits of its *key* give, behind those that
/// choose the shard. So slots stand roughly in the order of their keys, and a range of keys is one stretch of slots,
/// whatever the capacity (see ``forEach(in:_:)``). The key is the hash of the id, until so many ids hash alike that
/// they must have been chosen (``isCrowded(_:to:)``). From then on the array is *seeded*: see ``key(_:_:)``.
///
/// Readers use ``take(_:_:)`` and ``prefetchRecord(_:byteCount:)`` without any other lock; the proof stands there. All
/// other functions are for the writer, or for threads that keep the writer out by the shard's lock. Only the writer
/// changes what places hold, except for the bit by which readers lock a place.
///
/// Safe to use: the pointer is private, every index is kept below `capacity`, and ``SlotMemory`` owns the memory and
/// frees it when no thread can be using it. Copies share the memory.
@safe struct SlotArray {
    typealias Word = Atomic<UInt64>

    let base: UnsafeMutablePointer<Word>
    let capacity: Int
    /// Places come from a hash with a seed that only this process knows.
    let isSeeded: Bool

    /// The bits of a hash that choose the shard.
    static let shardBits: UInt64 = 6
    /// How many places before its turn a record is asked for.
    private static let ahead = 12

    /// The hash of an id as slots have it: its top 8 bits are the bucket.
    /// - Parameter idHash: FNV-1a of the id.
    @inline(__always)
    static func hash(idHash: UInt64) -> UInt64 { max(Fingerprint.mix(idHash), 1) }

    /// - Parameter base: `capacity` places, initialised.
    @inline(__always)
    init(base: UnsafeMutablePointer<Word>, capacity: Int, isSeeded: Bool) {
        unsafe self.base = base
        self.capacity = capacity
        self.isSeeded = isSeeded
    }

    /// The number that an id's home comes from: the hash, or in a seeded array the bucket and a seeded hash of the id.
    /// Either way a bucket is one stretch of places.
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

    // All of these are in bounds: a home is a fraction of the capacity, so it is below the capacity, and so is the next
    // place.

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

    /// The word of a place, without a reader's lock bit. Relaxed, as the caller holds a lock that the writer of the
    /// word held.
    @inline(__always)
    func word(at index: Int) -> SlotWord {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: capacity), "an index below the capacity")
        return SlotWord(bits: unsafe base[index].load(ordering: .relaxed)).unlocked
    }

    /// The record at `index`, not counted.
    @inline(__always)
    func unmanaged(at index: Int) -> UnmanagedRecord? { unsafe word(at: index).record }

    // MARK: Looking

    /// The first slot that `hash` can be in, or -1. It does not look at the record, which may belong to another id. In
    /// a seeded array, where the hash does not decide, it is any slot.
    @inline(__always)
    func candidate(_ hash: UInt64) -> Int {
        if isSeeded { return 0 }
        var index = home(hash)
        while true {
            // The search ends, as the array is never full.
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

    /// The slot that holds the record of `id`, or -1. The caller knows that no slot before `start` can hold it.
    /// - Parameter start: the result of ``candidate(_:)``.
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

    /// Readers see the model at `index`.
    @inline(__always)
    func isPresent(at index: Int) -> Bool { unsafe unmanaged(at: index)?.isPresent ?? false }

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

    /// Begins an update that ``finish(_:_:at:plan:)`` or an overwrite ends: see `UnmanagedRecord.prepare`.
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

    /// Hands the views of the record at `index` over to the new record of `pending`.
    @inline(__always)
    func carryViews(to pending: borrowing Pending, at index: Int) {
        guard let old = unsafe unmanaged(at: index), let new = unsafe pending.held else { return }
        unsafe old.carryViews(to: new)
    }

    /// Asks for the slot where a search for `hash` begins. Does not wait for it. Without use where the array is seeded.
    @inline(__always)
    func prefetchHome(_ hash: UInt64) { unsafe cprefetch(base + home(hash)) }

    /// Where the record at `index` is, to ask for its memory; nil where there is none.
    @inline(__always)
    func address(at index: Int) -> UnsafeRawPointer? { unsafe word(at: index).address }

    /// Calls `body` for each record in `window`, with its hash. For the writer, and for a thread that keeps the writer
    /// out.
    ///
    /// All records of a window stand between the home of its first key and the first empty place behind the home of its
    /// last key.
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

    /// Asks for the first line of the record at `index`.
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
        // The new record has the same id, so the old word has the end of its key.
        unsafe pending.held = replace(at: index, with: SlotWord(new, likeness: word(at: index))).record
    }

    /// Puts a word into a place, as soon as no reader has the place locked.
    ///
    /// The caller sees what a reader did before it left the place. Readers of the new word see what the caller did
    /// before.
    /// - Returns: the word before.
    @inline(__always)
    @discardableResult
    private func replace(at index: Int, with word: SlotWord) -> SlotWord {
        var old = self.word(at: index)
        var turn: UInt32 = 0
        // Only a reader's lock and its marks can make the place differ from `old`, as no other thread writes.
        while true {
            let (isDone, found) = unsafe base[index].compareExchange(
                expected: old.bits, desired: word.bits, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if isDone { return old }
            old = SlotWord(bits: found).unlocked
            cslots_wait(turn)
            turn &+= 1
        }
    }

    /// Puts a new record into the first empty place from its home on. The caller sees to it that there is one.
    /// - Returns: how far the place is from the home.
    func insert(_ hash: UInt64, _ record: consuming CellRecord) -> Int {
        let key = key(hash, record.idBytes)
        var index = home(key)
        while !word(at: index).isEmpty { index = next(index) }
        // A plain store, as readers change no empty place.
        let word = unsafe SlotWord(UnmanagedRecord(record), hash: key, marks: SlotWord.recent)
        unsafe base[index].store(word.bits, ordering: .releasing)
        return distance(from: home(key), to: index)
    }

    /// True where too many records near the home of `hash` have nearly the same hash for that to be an accident. It
    /// looks at the places from the home on, up to `distance`. False where the array is seeded.
    ///
    /// Records that come in the order of their hashes, as those of a snapshot do, crowd one part of the places, too.
    /// But of *n* ids only *n* / 2¹⁸ are within a distance of 2⁴⁵ of a hash: 16 of four million, and never more than
    /// 64.
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

    /// Empties the place at `index` and closes the gap: a slot behind it that belongs before moves up. Readers may miss
    /// a record meanwhile; see ``take(_:_:)``.
    /// - Returns: the record, with the count that the place owned.
    func remove(at index: Int) -> UnmanagedRecord? {
        let removed = word(at: index)
        var hole = index
        var probe = next(hole)
        while let record = unsafe unmanaged(at: probe) {
            let home = unsafe home(key(SlotArray.hash(idHash: record.idHash), of: record))
            // The record may move up unless its home lies behind the hole.
            if distance(from: home, to: probe) >= distance(from: hole, to: probe) {
                replace(at: hole, with: word(at: probe))
                hole = probe
            }
            probe = next(probe)
        }
        replace(at: hole, with: .empty)
        return unsafe removed.record
    }

    /// Copies all slots to a larger array that no reader sees yet. That may be seeded where this one is not.
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
            // Relaxed, as the array is published afterwards.
            unsafe larger.base[target].store(
                SlotWord(record, hash: key, marks: word.marks).bits, ordering: .relaxed)
        }
    }

    /// Empties all places. Their counts belong to another array now, and no reader gets a record here any more.
    func empty() {
        for index in 0..<capacity where !word(at: index).isEmpty { replace(at: index, with: .empty) }
    }

    /// Releases all records. Called when no thread uses the array any more.
    func releaseAll() {
        for index in 0..<capacity { unsafe unmanaged(at: index)?.release() }
    }
}
