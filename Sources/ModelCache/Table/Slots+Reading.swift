import CPrefetch
import CSlots
@_spi(RecordWriting) import ModelRecord
import Synchronization

extension SlotArray {
    /// Takes a reference to the record of `id`, if it is found. From any thread at any time, without a lock.
    ///
    /// Two things have to hold: that the record is alive and newest when it is counted, and that what is not found is
    /// not there.
    ///
    /// **What is found.** A reader reads no byte of a record before it has set the lock bit of a place that holds the
    /// record. The bit is set by an exchange that succeeds only if the place holds the very word that was expected,
    /// without a lock. From then on until the reader stores the word without the bit, the place cannot change: other
    /// readers and the writer wait for the bit (``replace(at:with:)``). While a place holds a record, the table owns a
    /// count of it:
    /// - an exchanged record is given up by the writer after the exchange, which came before the lock or waits for it;
    /// - while a slot moves, two places of one array hold one record, or one each of two arrays; the writer is the one
    ///   that moves, and gives up or exchanges nothing before each record is in one place again: ``remove(at:)`` ends
    ///   with that, and growth with emptying the old array (``Shards``).
    ///
    /// So the record is alive, it is what the place's id has now, and the count that the reader adds under the bit is
    /// added to a count that is not given up before. It is added before the bit is taken back (by a releasing store),
    /// and the writer's exchange acquires: asked after the exchange, the count says everything (``SpareRecords``). It
    /// does not matter whether the place held other words between the reader's look at it and its lock, nor whether
    /// this word was there before, left and came again: what the word says when it is locked is true.
    ///
    /// **What is not found** might have been moved past the reader: from a place that the reader has not reached yet to
    /// one that it has left, or to another array. So ``Shards`` looks, before and after, at the shard's array and at a
    /// number that counts removals, and lets the reader try again where they differ. All words are loaded acquiring. So
    /// a reader that has seen a word that came with a removal also sees that number, and one that has seen an emptied
    /// place of an old array also sees the new array. Where they do not differ nothing has moved: had the id a place
    /// throughout, all places between its home and that one were taken throughout, and the reader would have come to
    /// it. The home depends on the array alone: another key comes with another array only (``key(_:_:)``), whose word
    /// differs.
    ///
    /// A reader that is not running while it has the bit holds up those who want this very record, and nobody else.
    /// `SlotOrderTests` plays all orders of the steps.
    /// - Parameter isUse: the read counts as a use of the model, for copies with limits.
    @inline(__always)
    func take(_ hash: UInt64, _ id: Span<UInt8>, forViews: Bool, isUse: Bool) -> CellRecord? {
        let key = key(hash, id)
        var index = home(key)
        // The loop also ends where the writer is moving slots, and this reader finds no empty place.
        for _ in 0..<capacity {
            var word = SlotWord(bits: unsafe base[index].load(ordering: .acquiring))
            if word.isEmpty { return nil }
            var turn: UInt32 = 0
            while word.resembles(key), !word.isEmpty {
                if word.isLocked {
                    cslots_wait(turn)
                    turn &+= 1
                    word = SlotWord(bits: unsafe base[index].load(ordering: .acquiring))
                    continue
                }
                // Any address may be asked for; the processor fetches the record while the exchange takes its time.
                unsafe cprefetch(word.address)
                let (isLocked, found) = unsafe base[index].compareExchange(
                    expected: word.bits, desired: word.locked.bits, successOrdering: .acquiring,
                    failureOrdering: .acquiring)
                guard isLocked else {
                    word = SlotWord(bits: found)
                    continue
                }
                guard let record = unsafe word.record else { preconditionFailure("a word that is not empty") }
                let isWanted = unsafe record.hasID(id)
                if isWanted {
                    // Asked for before the count, as nothing behind an atomic operation begins before that has ended.
                    if forViews { unsafe record.prefetchViews() }
                    unsafe record.retain()
                }
                // Keeps the count before the store: otherwise the compiler might move it.
                cslots_keep_order()
                unsafe base[index].store(isWanted && isUse ? word.inUse.bits : word.bits, ordering: .releasing)
                if isWanted { return unsafe record.take() }
                break
            }
            // The place was emptied meanwhile: its record was removed, and no other moved up.
            if word.isEmpty { return nil }
            index = next(index)
        }
        return nil
    }

    /// Asks for the record in the first slot that `hash` can be in. Does not wait for it. From any thread at any time,
    /// without a lock: nothing of the record is read, so it may be another id's, or released already.
    /// - Parameter byteCount: the expected size of a record in bytes.
    @inline(__always)
    func prefetchRecord(_ hash: UInt64, byteCount: Int) {
        if isSeeded { return }
        var index = home(hash)
        for _ in 0..<SlotArray.prefetchedPlaces {
            let word = SlotWord(bits: unsafe base[index].load(ordering: .relaxed))
            if word.isEmpty { return }
            if word.resembles(hash), let address = unsafe word.address {
                return unsafe UnmanagedRecord.prefetch(address, byteCount: byteCount)
            }
            index = next(index)
        }
    }

    /// How many places are looked at: as many as one or two cache lines have.
    private static let prefetchedPlaces = 16
}
