import CPrefetch
import CSlots
import ModelRecord
import Synchronization

extension SlotArray {
    /// Takes a reference to the record of `id`, if it is found. By any thread at any time, without a lock.
    ///
    /// Two things have to hold: that the record is alive and newest when it is counted, and that what is not found is
    /// not there.
    ///
    /// **What is found.** A reader reads no byte of a record before he has set the lock bit of a place that holds it.
    /// The bit is set by an exchange that succeeds only if the place holds the very word that was expected, without a
    /// lock. From then on until the reader stores the word without the bit, the place cannot change: other readers and
    /// the writer wait for the bit (``replace(at:with:)``). While a place holds a record, the table owns a count of it:
    /// - an exchanged record is given up by the writer after the exchange, which came before the lock or waits for it;
    /// - while a slot moves, two places of one array hold one record, or one each of two arrays; the writer is the one
    ///   that moves, and gives up or exchanges nothing before each record is in one place again: ``remove(at:)`` ends
    ///   with that, and growth with emptying the old array (``Shards``).
    ///
    /// So the record is alive, it is what the place's id has now, and the count that the reader adds under the bit is
    /// added to a count that is not given up before. It is added before the bit is taken back (by a releasing store),
    /// and the writer's exchange acquires: asked after it, the count says everything (``SpareRecords``). It does not
    /// matter whether the place held other words between the reader's look at it and his lock, nor whether this one
    /// was there before, left and came again: what the word says when it is locked is true.
    ///
    /// **What is not found** might have been moved past the reader: from a place that he has not reached yet to one
    /// that he has left, or to another array. So ``Shards`` looks, before and after, at the shard's array and at a
    /// number that counts removals, and lets him try again where they differ. All words are loaded acquiring, so
    /// who has seen a word that came with a removal, or an old array's place that was emptied, sees that number, or
    /// that array, too. Where they do not differ nothing has moved: had the id a place throughout, all places between
    /// its home and that one were taken throughout, and he would have come to it. Where its home is, the array's word
    /// tells with the address: another key comes with another array only (``key(_:_:)``).
    ///
    /// A reader that is not running while it has the bit holds up those who want this very record, and nobody else.
    /// `SlotOrderTests` plays all orders of the steps.
    @inline(__always)
    func take(_ hash: UInt64, _ id: Span<UInt8>, forViews: Bool) -> CellRecord? {
        let key = key(hash, id)
        var index = home(key)
        // Ends also where the writer is moving slots, and no place is empty to this reader.
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
                    // Before it is counted: nothing behind an atomic operation begins before that has ended.
                    if forViews { unsafe record.prefetchViews() }
                    unsafe record.retain()
                }
                // The compiler knows nothing that would keep it from counting later.
                cslots_keep_order()
                unsafe base[index].store(word.bits, ordering: .releasing)
                if isWanted { return unsafe record.take() }
                break
            }
            // It was exchanged for nothing meanwhile: removed, and nothing moved up.
            if word.isEmpty { return nil }
            index = next(index)
        }
        return nil
    }

    /// Asks for the record in the first slot that `hash` can be in. Does not wait for it. By any thread at any time,
    /// without a lock: of the record nothing is read, so it does not matter whose it is, nor whether it still is.
    /// - Parameter byteCount: how large records are thought to be.
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

    /// As many as are in a line or two.
    private static let prefetchedPlaces = 16
}
