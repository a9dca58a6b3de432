@_spi(RecordWriting) import ModelRecord

/// Asks for the memory of a batch's updates some updates ahead: first for the slot, then for the record, so that a
/// merge finds both in the processor's cache.
///
/// A record takes as many lines of memory as the processor can wait for at a time. So they are asked for in two parts,
/// before and after a merge: all at once, that merge would have to wait for the first ones.
struct LookAhead {
    /// How many updates ahead the memory of a record is asked for. That of its slot is asked for twice as far ahead.
    private static let distance = 8
    /// The position at which a walk over a batch begins: so far before 0 that the memory of the first update has been
    /// asked for when it is merged.
    static var start: Int { -reach }
    /// How many updates ahead the slot is asked for.
    static var reach: Int { 2 &* distance }

    /// Ring buffers of the hashes and the slots of updates that have been looked at and not merged yet.
    private var hashes = InlineArray<32, UInt64>(repeating: 0)
    private var slots = InlineArray<16, Int>(repeating: -1)
    /// The address of the record whose second part is to be asked for; 0 for none. It is no reference, as nothing is
    /// read from there.
    private var rest: UInt = 0

    /// Asks for memory before the update at `position` is merged. A negative position has no update.
    /// - Parameter byteCount: the expected size of a record in bytes.
    @inline(__always)
    mutating func begin(_ position: Int, _ batch: borrowing UpdateBatchView, _ shards: Shards, byteCount: Int) {
        let count = batch.count
        let far = position &+ LookAhead.reach
        if far < count {
            let hash = SlotArray.hash(idHash: batch.slices[far].idHash)
            hashes[far & 31] = hash
            shards.prefetchSlot(hash)
        }
        rest = 0
        let near = position &+ LookAhead.distance
        guard near >= 0, near < count else { return }
        let hash = hashes[near & 31]
        let found = shards.slots(of: hash)
        let slot = found?.candidate(hash) ?? -1
        slots[near & 15] = slot
        guard slot >= 0, let address = unsafe found?.address(at: slot) else { return }
        unsafe UnmanagedRecord.prefetchFirst(address, byteCount: byteCount)
        rest = UInt(bitPattern: address)
    }

    /// Asks for the rest of the memory after the update was merged.
    @inline(__always)
    func end(byteCount: Int) {
        guard let rest = unsafe UnsafeRawPointer(bitPattern: rest) else { return }
        unsafe UnmanagedRecord.prefetchRest(rest, byteCount: byteCount)
    }

    /// The hash of the update at `position`, which ``begin(_:_:_:byteCount:)`` has reached.
    @inline(__always)
    func hash(_ position: Int) -> UInt64 { hashes[position & 31] }

    /// The slot where a search for the update's id may begin, as long as no slot has moved; negative where the id has
    /// no slot.
    @inline(__always)
    func candidate(_ position: Int) -> Int { slots[position & 15] }
}
