import ModelRecord

/// One model that a commit changes: the new record; once it is published, the old one.
///
/// Many of these are written, moved and dropped with each commit, so the record is not counted by the compiler. Safe to
/// use: an entry owns one count of its record, of which ``release()`` alone makes an end, and a commit releases each of
/// its entries once, when it is through.
@safe struct Pending {
    /// See ``SlotArray/hash(idHash:)``.
    let hash: UInt64
    /// Owns a count. Exchanged with a slot's by ``SlotArray/exchange(_:at:)``.
    var held: UnmanagedRecord?
    var digestDelta: UInt64
    /// The place of the old record in its shard, -1 for an id that has none.
    let slot: Int
    /// A reader can tell old and new apart.
    var isVisible: Bool
    /// The commit changed the model more than once.
    var isRepeated = false
    /// The model existed before.
    let existed: Bool
    /// The model is taken out; the record is what observers are told of it.
    let isRemoval: Bool
    /// The model exists with the new record.
    private(set) var exists: Bool

    /// Takes over the count of `record`.
    @inline(__always)
    init(
        _ record: UnmanagedRecord, _ hash: UInt64, digestDelta: UInt64, slot: Int, isVisible: Bool, existed: Bool,
        isRemoval: Bool = false
    ) {
        unsafe exists = record.exists
        unsafe held = record
        self.hash = hash
        self.digestDelta = digestDelta
        self.slot = slot
        self.isVisible = isVisible
        self.existed = existed
        self.isRemoval = isRemoval
    }

    /// The record, counted.
    var record: CellRecord? { unsafe held?.record }

    @inline(__always)
    func hasID(_ id: Span<UInt8>) -> Bool { unsafe held?.hasID(id) ?? false }

    /// ``SeededHash`` of the id.
    var seededHash: UInt64 { unsafe held?.lend { SeededHash.of($0.idBytes) } ?? 0 }

    /// Puts another new record in the place of the one before.
    mutating func replace(_ record: UnmanagedRecord) {
        unsafe exists = record.exists
        release()
        unsafe held = record
    }

    /// Gives up the record where nobody else has it: its memory serves for the next ones. Under the writer lock.
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
