import CPrefetch
import Synchronization

/// A reference to a record that is not counted: what an index keeps that looks at many records and hands out few.
///
/// Counting references costs an atomic operation each way, which also keeps the processor from looking ahead; a search
/// that only compares ids does without. Whoever makes one owns a count and gives it up with ``release()`` or
/// ``take()``.
@unsafe public struct UnmanagedRecord {
    private var storage: Unmanaged<RecordStorage>

    /// Takes over the count of `record`.
    @inline(__always)
    public init(_ record: consuming CellRecord) {
        unsafe storage = .passRetained(record.storage)
    }

    /// The record at this address, of which somebody owns a count.
    @inline(__always)
    public init(address: UnsafeRawPointer) {
        unsafe storage = .fromOpaque(address)
    }

    /// Where the record is; a multiple of 16, as malloc has it.
    @inline(__always)
    public var address: UnsafeRawPointer { unsafe UnsafeRawPointer(storage.toOpaque()) }

    /// The record, counted.
    public var record: CellRecord { unsafe CellRecord(storage: storage.takeUnretainedValue()) }

    /// The model exists.
    public var exists: Bool { unsafe storage._withUnsafeGuaranteedRef { $0.packed.exists } }

    /// FNV-1a of the id.
    @inline(__always)
    public var idHash: UInt64 { unsafe storage._withUnsafeGuaranteedRef { $0.idHash } }

    /// The size of the encoded record.
    public var byteCount: Int { unsafe storage._withUnsafeGuaranteedRef { Int($0.packed.byteCount) } }

    /// The size of the encoded record, and of what is kept behind it.
    @inline(__always)
    public var storedByteCount: Int { unsafe storage._withUnsafeGuaranteedRef { $0.storedByteCount } }

    /// ``CellRecord/applying(_:to:plan:keepingEqual:)`` to the record, which is not counted for it.
    @inline(__always)
    public func applying(
        _ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        unsafe storage._withUnsafeGuaranteedRef {
            unsafe $0.applying(update, plan: &plan, keepingEqual: keepingEqual)
        }
    }

    /// Begins what ``applying(_:plan:keepingEqual:)`` does: where ``UnmanagedMerge/isPrepared`` is set, the caller ends
    /// it, by ``overwrite(_:_:)`` or ``finish(_:_:plan:)``, before he uses `plan` again.
    @inline(__always)
    public func prepare(
        _ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        unsafe storage._withUnsafeGuaranteedRef {
            unsafe $0.prepare(update, plan: &plan, keepingEqual: keepingEqual)
        }
    }

    /// Makes the record that was prepared.
    @inline(__always)
    public func finish(_ merge: inout UnmanagedMerge, _ update: borrowing UpdateView, plan: inout MergePlan) {
        unsafe storage._withUnsafeGuaranteedRef { unsafe $0.finish(&merge, update, plan: &plan) }
    }

    /// Writes what was prepared into this very record, unless somebody else has it or something is kept on it.
    ///
    /// The caller, who owns the one count that the record's slot has, sees to it that nobody takes a reference from
    /// there meanwhile. Then nobody has one or comes to have one, for the reasons that ``SpareRecords`` gives, and what
    /// is immutable for all who hold a record stays so.
    /// - Returns: whether it was done.
    @inline(__always)
    public mutating func overwrite(_ update: borrowing UpdateView, _ plan: borrowing MergePlan) -> Bool {
        guard unsafe isOverwritable() else { return false }
        unsafe storage._withUnsafeGuaranteedRef { RecordBuilder.overwrite($0, plan, update) }
        return true
    }

    /// The same, and keeps what stood there.
    /// - Parameter room: in `log`, for this plan.
    /// - Returns: the entry of `log`; nil, and nothing has happened, where it was not done.
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

    /// Nobody but the caller has the record, and nothing is kept on it.
    @inline(__always)
    private mutating func isOverwritable() -> Bool {
        guard unsafe RecordStorage.isOnlyReference(&storage) else { return false }
        return unsafe storage._withUnsafeGuaranteedRef { record in
            // Relaxed, as nobody else has the record.
            UInt64(record.withIdentity { $0.load(ordering: .relaxed) }) & RecordStorage.viewMark == 0
        }
    }

    /// The record, with the count that this reference owned.
    public func take() -> CellRecord { unsafe CellRecord(storage: storage.takeRetainedValue()) }

    /// Adds a count, which this reference owns then.
    @inline(__always)
    public func retain() { _ = unsafe storage.retain() }

    /// The same with a count of its own.
    @inline(__always)
    package func retained() -> UnmanagedRecord {
        _ = unsafe storage.retain()
        return unsafe self
    }

    /// Gives up the count that this reference owned.
    public func release() { unsafe storage.release() }

    /// Gives up the count that this reference owned, and the memory for the next records, where nobody else has the
    /// record and nothing is kept on it.
    /// - Returns: whether that was so; if not, nothing has happened.
    @inline(__always)
    package mutating func giveBack(to plan: inout MergePlan) -> Bool { unsafe plan.spares.give(&storage) }

    /// Gives a record that is about to replace this one, and that nobody else sees yet, the views to be carried over.
    @inline(__always)
    package func carryViews(to new: UnmanagedRecord) {
        unsafe storage._withUnsafeGuaranteedRef { old in
            unsafe new.storage._withUnsafeGuaranteedRef { old.carryViews(to: $0) }
        }
    }

    /// True when the id of the record is exactly `id`.
    @inline(__always)
    public func hasID(_ id: Span<UInt8>) -> Bool { unsafe storage._withUnsafeGuaranteedRef { $0.hasID(id) } }

    /// True when both are of one id.
    @inline(__always)
    public func hasID(of other: UnmanagedRecord) -> Bool {
        unsafe storage._withUnsafeGuaranteedRef { own in
            unsafe other.storage._withUnsafeGuaranteedRef { own.hasID($0.bytes.extracting($0.packed.idRange)) }
        }
    }

    /// Lends the record, which somebody else keeps alive meanwhile; it is not counted for it.
    @inline(__always)
    public func lend<R>(_ body: (CellRecord) throws -> R) rethrows -> R {
        try unsafe storage._withUnsafeGuaranteedRef { try body(CellRecord(storage: $0)) }
    }

    /// Asks for the memory of the record at `address`, so that a merge soon after finds it in the cache. Does not wait
    /// for it; the record may be gone.
    /// - Parameter byteCount: what its ``storedByteCount`` is thought to be: to ask it would mean to wait. More than
    ///   ``prefetchedByteCountMax`` is left to the processor's own foresight.
    @inline(__always)
    public static func prefetch(_ address: UnsafeRawPointer, byteCount: Int) {
        unsafe prefetch(address, from: 0, to: prefetchedEnd(byteCount))
        unsafe prefetchLast(address, byteCount: byteCount)
    }

    /// Asks for what stands before the bytes, to give the record up: another core may have had it last.
    @inline(__always)
    public func prefetchHeader() { unsafe cprefetch_to_write(address) }

    /// The first half of what ``prefetch(_:byteCount:)`` asks for, and the record's last line, where its directory is.
    @inline(__always)
    public static func prefetchFirst(_ address: UnsafeRawPointer, byteCount: Int) {
        unsafe prefetch(address, from: 0, to: half(byteCount))
        unsafe prefetchLast(address, byteCount: byteCount)
    }

    /// The other half.
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

    /// Where the object does not begin with a line, it ends in one more.
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

    /// Asks for the memory of the first value that is kept on the record, if there is one. Does not wait for it.
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
