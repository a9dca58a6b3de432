import CPrefetch
import Synchronization

/// A reference to a record without automatic reference counting, for an index that looks at many records and hands out
/// few.
///
/// Counting references costs an atomic operation each way, which also keeps the processor from looking ahead. A search
/// that only compares ids needs no count. The maker of such a reference owns a count, and gives it up with
/// ``release()`` or ``take()``.
@_spi(RecordWriting)
@unsafe public struct UnmanagedRecord {
    private var storage: Unmanaged<RecordStorage>

    /// Takes over the count of `record`.
    @inline(__always)
    public init(_ record: consuming CellRecord) {
        unsafe storage = .passRetained(record.storage)
    }

    /// The record at `address`; somebody must own a count of it. No count is added.
    @inline(__always)
    public init(address: UnsafeRawPointer) {
        unsafe storage = .fromOpaque(address)
    }

    /// The address of the record; a multiple of 16, as malloc returns it.
    @inline(__always)
    public var address: UnsafeRawPointer { unsafe UnsafeRawPointer(storage.toOpaque()) }

    /// The record, with a count of its own.
    public var record: CellRecord { unsafe CellRecord(storage: storage.takeUnretainedValue()) }

    /// True when the model exists.
    public var isPresent: Bool { unsafe storage._withUnsafeGuaranteedRef { $0.packed.isPresent } }

    /// FNV-1a of the id.
    @inline(__always)
    public var idHash: UInt64 { unsafe storage._withUnsafeGuaranteedRef { $0.idHash } }

    /// The size of the encoded record.
    public var byteCount: Int { unsafe storage._withUnsafeGuaranteedRef { Int($0.packed.byteCount) } }

    /// The size of the encoded record, and of the directory behind it.
    @inline(__always)
    public var storedByteCount: Int { unsafe storage._withUnsafeGuaranteedRef { $0.storedByteCount } }

    /// Applies an update like ``CellRecord/applying(_:to:plan:keepingEqual:)``, without counting the record.
    @inline(__always)
    public func applying(
        _ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        unsafe storage._withUnsafeGuaranteedRef {
            unsafe $0.applying(update, plan: &plan, keepingEqual: keepingEqual)
        }
    }

    /// Begins what ``applying(_:plan:keepingEqual:)`` does. If ``UnmanagedMerge/isPrepared`` is set, the caller
    /// completes the merge, by ``overwrite(_:_:)`` or ``finish(_:_:plan:)``, before it uses `plan` again.
    @inline(__always)
    public func prepare(
        _ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        unsafe storage._withUnsafeGuaranteedRef {
            unsafe $0.prepare(update, plan: &plan, keepingEqual: keepingEqual)
        }
    }

    /// Makes the record that ``prepare(_:plan:keepingEqual:)`` has left to make.
    @inline(__always)
    public func finish(_ merge: inout UnmanagedMerge, _ update: borrowing UpdateView, plan: inout MergePlan) {
        unsafe storage._withUnsafeGuaranteedRef { unsafe $0.finish(&merge, update, plan: &plan) }
    }

    /// Writes the prepared update into this record itself, unless somebody else holds the record or a view is kept on
    /// it. The plan must keep the size of the record (``MergePlan/keepsSize``).
    ///
    /// The caller owns the one count of the record's slot, and ensures that nobody takes a reference from the slot
    /// meanwhile. Then nobody else holds a reference or can get one, for the reasons that `SpareRecords` gives, and a
    /// record stays immutable for all who hold it.
    /// - Returns: true when the record was written over; if false, nothing has happened.
    @inline(__always)
    public mutating func overwrite(_ update: borrowing UpdateView, _ plan: borrowing MergePlan) -> Bool {
        guard unsafe isOverwritable() else { return false }
        unsafe storage._withUnsafeGuaranteedRef { RecordBuilder.overwrite($0, plan, update) }
        return true
    }

    /// Writes over the record like ``overwrite(_:_:)``, and keeps the replaced bytes in `log`.
    /// - Parameters:
    ///   - update: the update that `plan` was made for.
    ///   - plan: what of it is written where.
    ///   - log: what keeps the replaced bytes.
    ///   - room: the room that `log` has reserved for this plan.
    /// - Returns: the entry in `log`; nil when the record was not written over, and nothing has happened.
    @inline(__always)
    public mutating func overwrite(
        _ update: borrowing UpdateView, _ plan: borrowing MergePlan, keepingIn log: inout UndoLog,
        _ room: UndoLog.Room
    ) -> UndoLog.Entry? {
        guard unsafe isOverwritable() else { return nil }
        return unsafe storage._withUnsafeGuaranteedRef { record in
            let entry = log.append(record, plan, in: room)
            RecordBuilder.overwrite(record, plan, update)
            return entry
        }
    }

    /// True when nobody but the caller holds the record, and no view is kept on it.
    @inline(__always)
    private mutating func isOverwritable() -> Bool {
        guard unsafe RecordStorage.isOnlyReference(&storage) else { return false }
        return unsafe storage._withUnsafeGuaranteedRef { record in
            // Relaxed, as nobody else has the record.
            UInt64(record.withIdentity { $0.load(ordering: .relaxed) }) & RecordStorage.viewMark == 0
        }
    }

    /// Returns the record with the count that this reference owned.
    public func take() -> CellRecord { unsafe CellRecord(storage: storage.takeRetainedValue()) }

    /// Adds a count, which this reference owns from then on.
    @inline(__always)
    public func retain() { _ = unsafe storage.retain() }

    /// The same reference with a count of its own.
    @inline(__always)
    package func retained() -> UnmanagedRecord {
        _ = unsafe storage.retain()
        return unsafe self
    }

    /// Gives up the count that this reference owned.
    public func release() { unsafe storage.release() }

    /// Gives up the count that this reference owned, and the record's memory to the next records, if nobody else holds
    /// the record and no view is kept on it.
    /// - Returns: true when that was so; if false, nothing has happened.
    @inline(__always)
    package mutating func giveBack(to plan: inout MergePlan) -> Bool { unsafe plan.spares.give(&storage) }

    /// Carries views over to a record that is about to replace this one, and that nobody else sees yet.
    @inline(__always)
    package func carryViews(to new: UnmanagedRecord) {
        unsafe storage._withUnsafeGuaranteedRef { old in
            unsafe new.storage._withUnsafeGuaranteedRef { old.carryViews(to: $0) }
        }
    }

    /// True when the id of the record is exactly `id`.
    @inline(__always)
    public func hasID(_ id: Span<UInt8>) -> Bool { unsafe storage._withUnsafeGuaranteedRef { $0.hasID(id) } }

    /// True when both records have the same id.
    @inline(__always)
    public func hasID(of other: UnmanagedRecord) -> Bool {
        unsafe storage._withUnsafeGuaranteedRef { own in
            unsafe other.storage._withUnsafeGuaranteedRef { own.hasID($0.bytes.extracting($0.packed.idRange)) }
        }
    }

    /// Lends the record without counting it. Somebody else keeps it alive meanwhile.
    @inline(__always)
    public func lend<R>(_ body: (CellRecord) throws -> R) rethrows -> R {
        try unsafe storage._withUnsafeGuaranteedRef { try body(CellRecord(storage: $0)) }
    }

    /// Prefetches the record at `address`, so that a merge soon after finds it in the cache. Does not wait; the record
    /// may have been freed.
    /// - Parameters:
    ///   - address: where the record lies, or lay.
    ///   - byteCount: an estimate of its ``storedByteCount``, because reading the true one would wait for the memory.
    ///     What exceeds `prefetchedByteCountMax` is left to the processor's own prefetching.
    @inline(__always)
    public static func prefetch(_ address: UnsafeRawPointer, byteCount: Int) {
        unsafe prefetch(address, from: 0, to: prefetchedEnd(byteCount))
        unsafe prefetchLast(address, byteCount: byteCount)
    }

    /// Prefetches the header of the record, for writing, before the record is given up: another core may have had it
    /// last.
    @inline(__always)
    public func prefetchHeader() { unsafe cprefetch_to_write(address) }

    /// Prefetches the first half of what ``prefetch(_:byteCount:)`` does, and the record's last line, where its
    /// directory is.
    @inline(__always)
    public static func prefetchFirst(_ address: UnsafeRawPointer, byteCount: Int) {
        unsafe prefetch(address, from: 0, to: half(byteCount))
        unsafe prefetchLast(address, byteCount: byteCount)
    }

    /// Prefetches the other half.
    @inline(__always)
    public static func prefetchRest(_ address: UnsafeRawPointer, byteCount: Int) {
        unsafe prefetch(address, from: half(byteCount), to: prefetchedEnd(byteCount))
    }

    @inline(__always)
    private static func prefetch(_ address: UnsafeRawPointer, from start: Int, to end: Int) {
        var offset = start
        while offset < end {
            unsafe cprefetch(address + offset)
            offset &+= 64
        }
    }

    /// Prefetches the last line: an object that does not begin at a cache line ends in one line more.
    @inline(__always)
    private static func prefetchLast(_ address: UnsafeRawPointer, byteCount: Int) {
        unsafe cprefetch(address + (prefetchedEnd(byteCount) &- 1))
    }

    @inline(__always)
    private static func prefetchedEnd(_ byteCount: Int) -> Int {
        unsafe min(byteCount, prefetchedByteCountMax) &+ RecordStorage.headerByteCount
    }

    @inline(__always)
    private static func half(_ byteCount: Int) -> Int { (unsafe prefetchedEnd(byteCount) / 2 &+ 63) & ~63 }

    /// Prefetches the first view that is kept on the record, if there is one. Does not wait.
    @inline(__always)
    package func prefetchViews() { unsafe storage._withUnsafeGuaranteedRef { $0.prefetchViews() } }

    private static let prefetchedByteCountMax = 1024
}

extension MergeResult {
    /// Takes over the count of the result's record.
    init(_ merge: UnmanagedMerge) {
        unsafe self.init(
            record: merge.record?.take(), isVisible: merge.isVisible, digestDelta: merge.digestDelta,
            conflictingCells: merge.conflictingCells)
    }
}
