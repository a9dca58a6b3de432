import ModelRecord

/// One of the 64 parts of a table. Its lock and its before-images stand beside it, on the same cache line.
///
/// The rules that make it safe:
/// - one thread at a time writes (it holds the cache's writer lock), and it writes only while it also holds the
///   shard's;
/// - that thread reads without the shard's lock, as nobody else writes;
/// - every other thread reads only while it holds the lock, and keeps nothing but counted references to records;
/// - before-images are read and written only under the lock, by any thread.
struct Shard {
    /// Nil until the first record.
    var slots: SlotArray?
    var count = 0
}

/// The 64 shards of a table. A shard takes the top six bits of the mixed hash, thus four whole buckets.
///
/// Safe to use: every index is a hash's top six bits or cut to as many, the memory lives as long as the ``TypeTable``
/// that owns it and calls ``destroy()`` in its deinit, and threads keep to the rules of ``Shard``.
// Unchecked because of the pointer: what is behind it is shared by the rules that ``Shard`` states.
@safe struct Shards: @unchecked Sendable {
    private typealias Lock = Guarded<Void>
    /// What was overwritten since snapshots were opened, oldest first; mostly empty.
    private typealias Images = [EpochImages]

    /// Per shard a cache line: the lock, the shard, its images. Each has a pointer of its own, so that no access to
    /// one covers another.
    private let base: UnsafeMutableRawPointer

    static let count = 64
    private static let stride = 64
    private static let shardOffset = 16
    private static let imagesOffset = 56

    init() {
        precondition(
            MemoryLayout<Lock>.size <= Shards.shardOffset
                && MemoryLayout<Shard>.size <= Shards.imagesOffset - Shards.shardOffset
                && MemoryLayout<Images>.size <= Shards.stride - Shards.imagesOffset,
            "a shard, its lock and its images fit a cache line")
        unsafe base = .allocate(byteCount: Shards.count * Shards.stride, alignment: Shards.stride)
        for index in 0..<Shards.count {
            let line = unsafe base + index * Shards.stride
            unsafe line.bindMemory(to: Lock.self, capacity: 1).initialize(to: Lock(()))
            unsafe (line + Shards.shardOffset).bindMemory(to: Shard.self, capacity: 1).initialize(to: Shard())
            unsafe (line + Shards.imagesOffset).bindMemory(to: Images.self, capacity: 1).initialize(to: [])
        }
    }

    /// Frees everything. Nobody may be using it.
    func destroy() {
        for index in 0..<Shards.count {
            unsafe shard(index).pointee.slots?.destroy()
            unsafe shard(index).deinitialize(count: 1)
            unsafe lock(index).deinitialize(count: 1)
            unsafe images(index).deinitialize(count: 1)
        }
        unsafe base.deallocate()
    }

    // In bounds, all three: the index is cut to 0..<64, and each line was bound so.

    @inline(__always)
    private func shard(_ index: Int) -> UnsafeMutablePointer<Shard> {
        let line = unsafe base + (index & (Shards.count - 1)) * Shards.stride
        return unsafe (line + Shards.shardOffset).assumingMemoryBound(to: Shard.self)
    }

    @inline(__always)
    private func lock(_ index: Int) -> UnsafeMutablePointer<Lock> {
        unsafe (base + (index & (Shards.count - 1)) * Shards.stride).assumingMemoryBound(to: Lock.self)
    }

    @inline(__always)
    private func images(_ index: Int) -> UnsafeMutablePointer<Images> {
        let line = unsafe base + (index & (Shards.count - 1)) * Shards.stride
        return unsafe (line + Shards.imagesOffset).assumingMemoryBound(to: Images.self)
    }

    /// The shard of a hash.
    @inline(__always)
    static func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> (64 - SlotArray.shardBits)) }

    // MARK: Any thread

    /// The record of `id`, tombstones included.
    @inline(__always)
    func record(_ hash: UInt64, _ id: Span<UInt8>) -> Record? {
        let index = Shards.index(of: hash)
        let shard = unsafe shard(index)
        return unsafe lock(index).pointee.withLock { _ -> Record? in
            guard let slots = unsafe shard.pointee.slots else { return nil }
            let slot = slots.find(hash, id)
            return slot < 0 ? nil : slots.record(at: slot)
        }
    }

    /// The record of `id` as it was when `epoch` was opened.
    func record(_ hash: UInt64, _ id: Span<UInt8>, asOf epoch: UInt64) -> Record? {
        let index = Shards.index(of: hash)
        let shard = unsafe shard(index)
        return unsafe lock(index).pointee.withLock { _ -> Record? in
            guard let slots = unsafe shard.pointee.slots else { return nil }
            let slot = slots.find(hash, id)
            guard slot >= 0, let record = slots.record(at: slot) else {
                return unsafe EpochImages.removed(id, hash, asOf: epoch, in: images(index).pointee)
            }
            return unsafe EpochImages.resolve(record, hash, asOf: epoch, in: images(index).pointee)
        }
    }

    /// The records of a range of hashes within one shard as they were when `epoch` was opened.
    func records(hashes: ClosedRange<UInt64>, asOf epoch: UInt64) -> [Record] {
        let index = Shards.index(of: hashes.lowerBound)
        let shard = unsafe shard(index)
        return unsafe lock(index).pointee.withLock { _ -> [Record] in
            guard let slots = unsafe shard.pointee.slots else { return [] }
            var found: [Record] = []
            slots.forEach(hashes: hashes) { hash, record in
                let then = unsafe EpochImages.resolve(record, hash, asOf: epoch, in: images(index).pointee)
                if let then { found.append(then) }
            }
            unsafe EpochImages.forEachRemoved(hashes: hashes, asOf: epoch, in: images(index).pointee) { hash, record in
                if slots.find(hash, record.idBytes) < 0 { found.append(record) }
            }
            return found
        }
    }

    /// How many slots a shard has.
    func capacity(of index: Int) -> Int {
        let shard = unsafe shard(index)
        return unsafe lock(index).pointee.withLock { _ in unsafe shard.pointee.slots?.capacity ?? 0 }
    }

    /// Gives up what was kept for `epoch`: to the next older open one, if there is any, else for good.
    /// - Returns: what is no longer needed, to be released outside the lock.
    func fold(shard index: Int, epoch: UInt64, into older: UInt64?) -> [EpochImages] {
        unsafe lock(index).pointee.withLock { _ in
            unsafe EpochImages.fold(epoch, into: older, in: &images(index).pointee)
        }
    }

    // MARK: The writer

    /// The slots of a hash's shard.
    @inline(__always)
    func slots(of hash: UInt64) -> SlotArray? { unsafe shard(Shards.index(of: hash)).pointee.slots }

    /// Exchanges the record in a slot for that of `pending`, which has the old one then. That is kept for `epoch`, if
    /// that is given.
    @inline(__always)
    func exchange(_ pending: inout Pending, epoch: UInt64?) {
        let (hash, slot) = (pending.hash, pending.slot)
        let index = Shards.index(of: hash)
        let shard = unsafe shard(index)
        guard let slots = unsafe shard.pointee.slots else { return }
        slots.carryViews(to: pending, at: slot)
        unsafe lock(index).pointee.withLock { _ in
            slots.exchange(&pending, at: slot)
            if let epoch, let old = pending.record {
                unsafe EpochImages.keep(old, isAbsent: false, hash, for: epoch, in: &images(index).pointee)
            }
        }
    }

    /// Adds the record of an id that has no slot yet. Its absence is kept for `epoch`, if that is given.
    func insert(_ record: Record, hash: UInt64, epoch: UInt64?) {
        let index = Shards.index(of: hash)
        let shard = unsafe shard(index)
        let count = unsafe shard.pointee.count
        guard let slots = unsafe shard.pointee.slots, (count + 1) * 4 <= slots.capacity * 3 else {
            grow(index)
            return insert(record, hash: hash, epoch: epoch)
        }
        let distance = unsafe lock(index).pointee.withLock { _ in
            unsafe shard.pointee.count &+= 1
            if let epoch {
                unsafe EpochImages.keep(record, isAbsent: true, hash, for: epoch, in: &images(index).pointee)
            }
            return slots.insert(hash, record)
        }
        // Records of a snapshot come in the order of their hashes, and crowd one part of the slots.
        if distance > Shards.distanceMax, count * Shards.sparsest >= slots.capacity { grow(index) }
    }

    /// Records that stand further from where they belong make a shard grow before it is three quarters full,
    private static let distanceMax = 128
    /// unless it has so many slots for each already: ids may be chosen to collide.
    private static let sparsest = 16

    /// Takes an id out. Its last record must have been exchanged, so that it is kept for `epoch`, if that is given.
    /// - Returns: false when the id has no slot.
    func remove(_ hash: UInt64, _ id: Span<UInt8>, epoch: UInt64?) -> Bool {
        let index = Shards.index(of: hash)
        let shard = unsafe shard(index)
        guard let slots = unsafe shard.pointee.slots else { return false }
        let slot = slots.find(hash, id)
        guard slot >= 0 else { return false }
        // Released outside the lock.
        var last: Record?
        unsafe lock(index).pointee.withLock { _ in
            last = slots.remove(at: slot)
            unsafe shard.pointee.count &-= 1
            if epoch != nil { unsafe EpochImages.noteRemoved(hash, in: &images(index).pointee) }
        }
        return last != nil
    }

    /// Doubles the slots.
    private func grow(_ index: Int) {
        let shard = unsafe shard(index)
        let old = unsafe shard.pointee.slots
        let larger = old?.grown() ?? SlotArray(capacity: 4)
        unsafe lock(index).pointee.withLock { _ in unsafe shard.pointee.slots = larger }
        // Readers hold the lock while they look at slots, so none looks at the old ones any more.
        old?.deallocateMoved()
    }
}
