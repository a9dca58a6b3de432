@_spi(RecordWriting) import ModelRecord

/// The limits of a table, how far it is from them, and what has left it.
// Unchecked because of the variables: `byteCount` is touched under the cut lock, `limits` under the writer lock, and
// the others by the thread that enforces limits.
final class TableBounds: @unchecked Sendable {
    /// The limits; those of all types together are the ``Limiter``'s.
    var limits: ModelLimits
    /// The size of all records of the table. Under the cut lock.
    private(set) var byteCount = 0
    /// Where the search for models that have not been used goes on.
    let hand = SearchHand()
    /// When the next shard is looked through for idle models, and which one that is.
    var idleLook: (shard: Int, at: UInt64) = (0, 0)
    /// Models that must stay, by ``SeededHash``, and how often that was asked for.
    let pinned = Guarded<[UInt64: Int]>([:])
    let absent: Guarded<AbsentModels>

    /// - Parameter prefetch: what comes into the table without being fetched.
    init(_ limits: ModelLimits, _ prefetch: CacheLimits.Prefetch) {
        self.limits = limits
        absent = Guarded(AbsentModels(prefetch))
    }

    /// Counts a record that has taken the place of another. Under the cut lock.
    func count(_ new: UnmanagedRecord?, insteadOf old: UnmanagedRecord?) {
        if let new = unsafe new { unsafe byteCount &+= new.storedByteCount &+ ModelLimits.overheadByteCount }
        if let old = unsafe old { unsafe byteCount &-= old.storedByteCount &+ ModelLimits.overheadByteCount }
    }

    /// Whether the update is one of a model that is evicted, or was when it was deleted: alone it would make half a
    /// model.
    ///
    /// Asked only where the table has no record of the id. Where the model is on its way back, the update is kept for
    /// it.
    @inline(never)
    func keepsBack(_ update: borrowing UpdateView, _ hash: UInt64, plan: inout MergePlan) -> Bool {
        // The closure cannot capture a borrowed view, and a copy of one is a few words.
        let update = copy update
        return absent.withLock { $0.keepBack(update, hash, plan: &plan) }
    }

    /// The same for a record: what has come of its model before and was passed over may not be in it.
    @inline(never)
    func keepsBack(_ record: CellRecord, _ hash: UInt64, plan: inout MergePlan) -> Bool {
        absent.withLock { $0.keepBack(record, hash, plan: &plan) }
    }

    /// The model is to stay, as somebody has asked.
    func isPinned(_ id: Span<UInt8>) -> Bool {
        pinned.withLock { !$0.isEmpty && $0[SeededHash.of(id)] != nil }
    }
}
