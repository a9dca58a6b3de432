@_spi(RecordWriting) import ModelRecord

/// One model that a commit changes. It holds the new record, and the old one after the exchange.
///
/// Many entries are written, moved and dropped with each commit, so the compiler does not count the record. Safe to
/// use: an entry owns one count of its record, which only ``release()`` and ``giveBack(to:)`` give up, and a commit
/// releases each of its entries once, at its end.
@safe struct Pending {
    /// See ``SlotArray/hash(idHash:)``.
    let hash: UInt64
    /// The record, of which the entry owns a count. ``SlotArray/exchange(_:at:)`` exchanges it with that of a slot.
    var held: UnmanagedRecord?
    var digestDelta: UInt64
    /// The slot of the old record in its shard; -1 where the id has none.
    let slot: Int
    /// A reader can tell old and new apart.
    var isVisible: Bool
    /// The commit changed the model more than once.
    var isRepeated = false
    /// Readers saw the model before.
    let wasPresent: Bool
    /// The model is removed. Observers are told of it by this record.
    let isRemoval: Bool
    /// Readers see the model with the new record.
    private(set) var isPresent: Bool

    /// Takes over the count of `record`.
    @inline(__always)
    init(
        _ record: UnmanagedRecord, _ hash: UInt64, digestDelta: UInt64, slot: Int, isVisible: Bool, wasPresent: Bool,
        isRemoval: Bool = false
    ) {
        unsafe isPresent = record.isPresent
        unsafe held = record
        self.hash = hash
        self.digestDelta = digestDelta
        self.slot = slot
        self.isVisible = isVisible
        self.wasPresent = wasPresent
        self.isRemoval = isRemoval
    }

    /// The record, counted.
    var record: CellRecord? { unsafe held?.record }

    @inline(__always)
    func hasID(_ id: Span<UInt8>) -> Bool { unsafe held?.hasID(id) ?? false }

    /// ``SeededHash`` of the id.
    var seededHash: UInt64 { unsafe held?.lend { SeededHash.of($0.idBytes) } ?? 0 }

    /// Replaces the new record by a later one of the same commit.
    mutating func replace(_ record: UnmanagedRecord) {
        unsafe isPresent = record.isPresent
        release()
        unsafe held = record
    }

    /// Gives the record's memory to `plan` for the next records, where nobody else has the record. Under the writer
    /// lock.
    @inline(__always)
    mutating func giveBack(to plan: inout MergePlan) {
        if unsafe held?.giveBack(to: &plan) ?? false { unsafe held = nil }
    }

    /// Gives up the record, outside of the locks.
    @inline(__always)
    mutating func release() {
        unsafe held?.release()
        unsafe held = nil
    }
}
