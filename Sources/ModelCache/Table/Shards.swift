import CSlots
@_spi(RecordWriting) import ModelRecord
import Synchronization

/// The 64 shards of a table, each with an array of slots. The top six bits of the mixed hash choose the shard, so a
/// shard has four whole buckets.
///
/// The rules that make it safe:
/// - One thread at a time writes: the one that holds the cache's writer lock. It reads without any other lock, as no
///   other thread writes.
/// - Any thread takes records out of the slots without a lock. ``SlotArray/take(_:_:)`` has the proof.
/// - Any thread looks at words to prefetch the memory that they point to. It reads nothing there, and the words of an
///   array stay readable.
/// - A thread that looks at slots in any other way, as a snapshot does, holds the shard's lock, and an epoch is open.
///   While an epoch is open, the writer also holds that lock where it writes. The writer learns of epochs under the cut
///   lock, under which they are opened, so none is opened while it writes without the shard's lock.
/// - Before-images are read and written only under the shard's lock, by any thread.
///
/// A full shard gets a larger array in three steps. The new array is filled beside the old one, then published, and
/// then each place of the old one is emptied. So by the time a record is exchanged again, no reader finds a record in
/// the old array. The addresses of the old array stay readable (``SlotMemory``). A shard goes over to a seeded array in
/// the same way, and never back.
///
/// Safe to use: every index is six bits of a hash or is cut to six bits. The memory lives as long as the ``TypeTable``
/// that owns it, which calls ``destroy()`` in its deinit.
// Unchecked because of the pointer: what is behind it is shared by the rules above.
@safe struct Shards: @unchecked Sendable {
    private typealias Lock = Guarded<Void>
    /// The images of each epoch, oldest first; most of the time empty.
    private typealias Images = [EpochImages]
    private typealias Number = Atomic<UInt64>

    /// Each shard has two cache lines. The first seldom changes and is shared by readers: the array and the number of
    /// removals. The second has the lock, the count of slots and the images. Each part has a pointer of its own, so
    /// that no access to one covers another. ``SlotMemory`` follows behind all shards.
    private let base: UnsafeMutableRawPointer

    static let count = 64
    private static let stride = 128
    private static let removalsOffset = 8
    private static let lockOffset = 64
    private static let countOffset = 80
    private static let imagesOffset = 88

    init() {
        precondition(
            MemoryLayout<Number>.size <= Shards.removalsOffset
                && MemoryLayout<Lock>.size <= Shards.countOffset - Shards.lockOffset
                && MemoryLayout<Images>.size <= Shards.stride - Shards.imagesOffset,
            "what a shard has fits two cache lines")
        let byteCount = Shards.count * Shards.stride
        unsafe base = .allocate(byteCount: byteCount + MemoryLayout<SlotMemory>.size, alignment: Shards.stride)
        for index in 0..<Shards.count {
            let line = unsafe base + index * Shards.stride
            unsafe line.bindMemory(to: Number.self, capacity: 1).initialize(to: Number(0))
            unsafe (line + Shards.removalsOffset).bindMemory(to: Number.self, capacity: 1).initialize(to: Number(0))
            unsafe (line + Shards.lockOffset).bindMemory(to: Lock.self, capacity: 1).initialize(to: Lock(()))
            unsafe (line + Shards.countOffset).bindMemory(to: Int.self, capacity: 1).initialize(to: 0)
            unsafe (line + Shards.imagesOffset).bindMemory(to: Images.self, capacity: 1).initialize(to: [])
        }
        unsafe (base + byteCount).bindMemory(to: SlotMemory.self, capacity: 1).initialize(to: SlotMemory())
    }

    /// Frees everything. Called when no thread uses the shards any more.
    func destroy() {
        for index in 0..<Shards.count {
            slots(index)?.releaseAll()
            unsafe lock(index).deinitialize(count: 1)
            unsafe images(index).deinitialize(count: 1)
        }
        unsafe memory.pointee.destroy()
        unsafe memory.deinitialize(count: 1)
        unsafe base.deallocate()
    }

    // All of these are in bounds: the index is cut to 0..<64, and each line was bound to these types.

    @inline(__always)
    private func line(_ index: Int) -> UnsafeMutableRawPointer {
        unsafe base + (index & (Shards.count - 1)) * Shards.stride
    }

    /// The word of a shard's array: its address, the code of its capacity from bit 48 on, and the lowest bit set where
    /// it is seeded. 0 until the first record.
    @inline(__always)
    private func array(_ index: Int) -> UnsafeMutablePointer<Number> {
        unsafe line(index).assumingMemoryBound(to: Number.self)
    }

    /// The number of removals: odd while a slot is being removed, and another even number afterwards.
    @inline(__always)
    private func removals(_ index: Int) -> UnsafeMutablePointer<Number> {
        unsafe (line(index) + Shards.removalsOffset).assumingMemoryBound(to: Number.self)
    }

    @inline(__always)
    private func lock(_ index: Int) -> UnsafeMutablePointer<Lock> {
        unsafe (line(index) + Shards.lockOffset).assumingMemoryBound(to: Lock.self)
    }

    /// How many slots are taken. Only the writer uses it.
    @inline(__always)
    private func taken(_ index: Int) -> UnsafeMutablePointer<Int> {
        unsafe (line(index) + Shards.countOffset).assumingMemoryBound(to: Int.self)
    }

    @inline(__always)
    private func images(_ index: Int) -> UnsafeMutablePointer<Images> {
        unsafe (line(index) + Shards.imagesOffset).assumingMemoryBound(to: Images.self)
    }

    private var memory: UnsafeMutablePointer<SlotMemory> {
        unsafe (base + Shards.count * Shards.stride).assumingMemoryBound(to: SlotMemory.self)
    }

    /// The shard of a hash.
    @inline(__always)
    static func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> (64 - SlotArray.shardBits)) }

    /// The array that a shard's word describes.
    @inline(__always)
    private static func slots(_ word: UInt64) -> SlotArray? {
        let address = unsafe UnsafeMutablePointer<SlotArray.Word>(bitPattern: UInt(word & Shards.addressMask))
        guard let base = unsafe address else { return nil }
        let capacity = SlotCapacity(code: Int(truncatingIfNeeded: word &>> 48)).count
        return unsafe SlotArray(base: base, capacity: capacity, isSeeded: word & Shards.seededMark != 0)
    }

    /// The lowest three bits are free, as arrays are aligned like their places.
    private static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF8
    private static let seededMark: UInt64 = 1

    /// The slots of a shard, for the writer and for a thread that keeps the writer out.
    @inline(__always)
    private func slots(_ index: Int) -> SlotArray? {
        // Relaxed, as the writer lock or the shard's lock orders the load.
        Shards.slots(unsafe array(index).pointee.load(ordering: .relaxed))
    }

    // MARK: Any thread

    /// The record of `id`, tombstones included. Without a lock, from any thread.
    @inline(__always)
    func record(
        _ hash: UInt64, _ id: Span<UInt8>, forViews: Bool = false, isUse: Bool = true
    ) -> CellRecord? {
        let index = Shards.index(of: hash)
        var turn: UInt32 = 0
        while true {
            let removed = unsafe removals(index).pointee.load(ordering: .acquiring)
            let word = unsafe array(index).pointee.load(ordering: .acquiring)
            if let record = Shards.slots(word)?.take(hash, id, forViews: forViews, isUse: isUse) { return record }
            // The id has no record if nothing was moved meanwhile: see ``SlotArray/take(_:_:)``.
            let isStill = unsafe removals(index).pointee.load(ordering: .acquiring) == removed && removed & 1 == 0
            if isStill, unsafe array(index).pointee.load(ordering: .relaxed) == word { return nil }
            cslots_wait(turn)
            turn &+= 1
        }
    }

    /// Asks for the slot where a search for `hash` begins. Does not wait for it: nothing of the array is read.
    @inline(__always)
    func prefetchSlot(_ hash: UInt64) { slots(of: hash)?.prefetchHome(hash) }

    /// Asks for the record that a search for `hash` will most likely find. Waits for the slot and not for the record.
    /// - Parameter byteCount: the expected size of a record in bytes.
    @inline(__always)
    func prefetchRecord(_ hash: UInt64, byteCount: Int) {
        // Acquiring, so that the content that the array had when it was published is seen.
        let word = unsafe array(Shards.index(of: hash)).pointee.load(ordering: .acquiring)
        Shards.slots(word)?.prefetchRecord(hash, byteCount: byteCount)
    }

    /// The record of `id` as it was when `epoch` was opened.
    func record(_ hash: UInt64, _ id: Span<UInt8>, asOf epoch: UInt64) -> CellRecord? {
        let index = Shards.index(of: hash)
        return unsafe lock(index).pointee.withLock { _ -> CellRecord? in
            guard let slots = slots(index) else { return nil }
            let slot = slots.find(hash, id)
            guard slot >= 0, let record = unsafe slots.unmanaged(at: slot) else {
                return unsafe EpochImages.removed(id, hash, asOf: epoch, in: images(index).pointee)?.record
            }
            return unsafe EpochImages.resolve(record, hash, asOf: epoch, in: images(index).pointee)?.record
        }
    }

    /// Appends the records of a part of a bucket as they were when `epoch` was opened.
    ///
    /// The records are not counted: each stays alive as long as the epoch is open.
    /// - A record that was found in a slot belongs to the table until it is exchanged. Then its image is kept for the
    ///   newest open epoch, which is this one or a later one. There is no image of its id for such an epoch yet: it
    ///   would have been found instead.
    /// - An image that was found is the first of its id from this epoch on, and stays the first, as images are added
    ///   for the newest epoch only. When its epoch is closed, the image goes to the next older open epoch, which is at
    ///   the oldest this one. It is dropped only where that epoch has an image of the id already, and then another
    ///   image would have been found.
    func collect(_ window: HashWindow, asOf epoch: UInt64, into found: inout [UnmanagedRecord]) {
        let index = Shards.index(of: window.range.lowerBound)
        unsafe lock(index).pointee.withLock { _ in
            guard let slots = slots(index) else { return }
            let images = unsafe images(index).pointee
            unsafe slots.forEach(in: window) { hash, record in
                if let then = unsafe EpochImages.resolve(record, hash, asOf: epoch, in: images) {
                    unsafe found.append(then)
                }
            }
            guard !images.isEmpty else { return }
            unsafe EpochImages.forEachRemoved(in: window, asOf: epoch, in: images) { hash, record in
                if unsafe slots.find(hash, of: record) < 0 { unsafe found.append(record) }
            }
        }
    }

    /// How many slots a shard has.
    func capacity(of index: Int) -> Int {
        Shards.slots(unsafe array(index).pointee.load(ordering: .relaxed))?.capacity ?? 0
    }

    /// The array of a shard is seeded. It stays seeded.
    func isSeeded(_ index: Int) -> Bool {
        Shards.slots(unsafe array(index).pointee.load(ordering: .relaxed))?.isSeeded ?? false
    }

    /// The longest run of images in a shard: see ``ImageTable/longestRun``.
    func longestImageRun(_ index: Int) -> Int {
        unsafe lock(index).pointee.withLock { _ in unsafe images(index).pointee.map(\.longestRun).max() ?? 0 }
    }

    /// Gives up the images of `epoch`: they go to the next older open epoch, or are released where there is none.
    /// - Returns: the images that are no longer needed, to be released outside the lock.
    func fold(shard index: Int, epoch: UInt64, into older: UInt64?) -> EpochImages? {
        unsafe lock(index).pointee.withLock { _ in
            unsafe EpochImages.fold(epoch, into: older, in: &images(index).pointee)
        }
    }

    // MARK: The writer

    /// The slots of a shard.
    func slots(at index: Int) -> SlotArray? { slots(index) }

    /// The slots of a hash's shard.
    @inline(__always)
    func slots(of hash: UInt64) -> SlotArray? { slots(Shards.index(of: hash)) }

    /// Exchanges the record in a slot for that of `pending`, which holds the old one afterwards. Where `epoch` is
    /// given, the old record is kept for it.
    @inline(__always)
    func exchange(_ pending: inout Pending, epoch: UInt64?) {
        let (hash, slot) = (pending.hash, pending.slot)
        let index = Shards.index(of: hash)
        guard let slots = slots(index) else { return }
        slots.carryViews(to: pending, at: slot)
        guard let epoch else { return slots.exchange(&pending, at: slot) }
        unsafe lock(index).pointee.withLock { _ in
            slots.exchange(&pending, at: slot)
            guard let old = unsafe pending.held else { return }
            unsafe EpochImages.keep(old, isAbsent: false, hash, for: epoch, in: &images(index).pointee)
        }
    }

    /// Adds the record of an id that has no slot yet. Where `epoch` is given, it is kept that the id had no record.
    func insert(_ record: CellRecord, hash: UInt64, epoch: UInt64?) {
        let index = Shards.index(of: hash)
        let count = unsafe taken(index).pointee
        guard let slots = slots(index), (count + 1) * 4 <= slots.capacity * 3 else {
            grow(index)
            return insert(record, hash: hash, epoch: epoch)
        }
        unsafe taken(index).pointee = count + 1
        let distance: Int
        if let epoch {
            distance = unsafe lock(index).pointee.withLock { _ in
                let distance = slots.insert(hash, record)
                unsafe EpochImages.keep(
                    UnmanagedRecord(address: record.address), isAbsent: true, hash, for: epoch,
                    in: &images(index).pointee)
                return distance
            }
        } else {
            distance = slots.insert(hash, record)
        }
        guard distance > Shards.distanceMax else { return }
        // The records of a snapshot come in the order of their hashes, and crowd one part of the slots.
        let isDense = count * Shards.sparsest >= slots.capacity
        // In a sparse array growth does not help, so the cause is looked for at some distances only: each look takes
        // `distance` steps.
        guard isDense || distance % Shards.distanceMax == 0 else { return }
        let isCrowded = slots.isCrowded(hash, to: distance)
        if isDense || isCrowded { grow(index, isSeeded: isCrowded) }
    }

    /// A record that stands further from its home makes a shard grow before it is three quarters full,
    private static let distanceMax = 128
    /// unless the shard already has so many slots for each record. Ids that were chosen to collide make it seeded.
    private static let sparsest = 16

    /// Removes an id. Its last record must have been exchanged before, so that it is kept for `epoch` where that is
    /// given.
    /// - Returns: false when the id has no slot.
    func remove(_ hash: UInt64, _ id: Span<UInt8>, epoch: UInt64?) -> Bool {
        let index = Shards.index(of: hash)
        guard let slots = slots(index) else { return false }
        let slot = slots.find(hash, id)
        guard slot >= 0 else { return false }
        let removed = unsafe lock(index).pointee.withLock { _ in
            // Each moved word is stored releasing, so a reader that sees one also sees an odd number of removals, or a
            // later one.
            unsafe removals(index).pointee.add(1, ordering: .relaxed)
            let removed = unsafe slots.remove(at: slot)
            unsafe removals(index).pointee.add(1, ordering: .releasing)
            if epoch != nil { unsafe EpochImages.noteRemoved(hash, id, in: images(index).pointee) }
            return unsafe removed.map { unsafe UInt(bitPattern: $0.address) }
        }
        guard let address = unsafe removed.flatMap({ unsafe UnsafeRawPointer(bitPattern: $0) }) else { return false }
        // The record is released outside the lock.
        unsafe UnmanagedRecord(address: address).release()
        unsafe taken(index).pointee -= 1
        return true
    }

    /// Gives a shard the next larger array.
    /// - Parameter isSeeded: make the new array seeded. A seeded array is followed by a seeded one in any case.
    private func grow(_ index: Int, isSeeded: Bool = false) {
        let old = unsafe array(index).pointee.load(ordering: .relaxed)
        let mark = isSeeded ? Shards.seededMark : old & Shards.seededMark
        let oldCapacity = SlotCapacity(code: Int(truncatingIfNeeded: old &>> 48))
        let capacity = old == 0 ? .first : oldCapacity.next
        let base = unsafe memory.pointee.make(capacity, shard: index)
        let address = UInt64(UInt(bitPattern: base))
        precondition(address & ~Shards.addressMask == 0, "an array's address fits 48 bits, and is one of words")
        let word = UInt64(capacity.code) &<< 48 | address | mark
        if let larger = Shards.slots(word) { Shards.slots(old)?.copy(to: larger) }
        // The lock is for snapshots, which have to see one whole array.
        unsafe lock(index).pointee.withLock { _ in
            unsafe array(index).pointee.store(word, ordering: .releasing)
            // The old array is emptied before any record is exchanged again. Each place is emptied releasing, so a
            // reader that comes to an emptied place sees the new array when it looks again.
            guard let slots = Shards.slots(old) else { return }
            slots.empty()
            unsafe memory.pointee.drop(slots, oldCapacity)
        }
    }
}
