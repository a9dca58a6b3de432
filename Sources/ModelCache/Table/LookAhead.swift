import ModelRecord

/// Asks for the memory of the updates of a batch some updates ahead: first for the slot, then for the record, so that a
/// merge finds both in the processor's cache.
///
/// A record takes as many lines of memory as the processor can wait for at a time, so they are asked for in two parts,
/// before and after the merge in whose turn they are: all at once would keep it waiting for the first ones.
struct LookAhead {
    /// So many updates ahead the memory of a record is asked for; of its slot, twice as many.
    private static let distance = 8
    /// The position of a row of updates that begins so early that the first has been asked for when it is merged.
    static var start: Int { -reach }
    /// So many updates ahead the slot is asked for.
    static var reach: Int { 2 &* distance }

    /// Hash and slot of the updates that have been looked at and not merged yet: rings.
    private var hashes = InlineArray<32, UInt64>(repeating: 0)
    private var slots = InlineArray<16, Int>(repeating: -1)
    /// The address of the record of which the second part is to be asked for; 0 for none. No reference, as nothing is
    /// read from there.
    private var rest: UInt = 0

    /// Before the update at `position` is merged, or would be.
    /// - Parameter byteCount: how large records are thought to be.
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

    /// After the update was merged.
    @inline(__always)
    func end(byteCount: Int) {
        guard let rest = unsafe UnsafeRawPointer(bitPattern: rest) else { return }
        unsafe UnmanagedRecord.prefetchRest(rest, byteCount: byteCount)
    }

    /// The hash of the update at `position`, which ``begin(_:_:_:byteCount:)`` has reached.
    @inline(__always)
    func hash(_ position: Int) -> UInt64 { hashes[position & 31] }

    /// Where a search for it may begin, as long as no slot has moved; negative where it is not there.
    @inline(__always)
    func candidate(_ position: Int) -> Int { slots[position & 15] }
}
