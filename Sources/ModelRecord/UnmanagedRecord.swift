import CPrefetch

/// A reference to a record that is not counted: what an index keeps that looks at many records and hands out few.
///
/// Counting references costs an atomic operation each way, which also keeps the processor from looking ahead; a search
/// that only compares ids does without. Whoever makes one owns a count and gives it up with ``release()`` or
/// ``take()``.
@unsafe public struct UnmanagedRecord {
    private var storage: Unmanaged<RecordStorage>

    /// Takes over the count of `record`.
    @inline(__always)
    public init(_ record: consuming Record) {
        unsafe storage = .passRetained(record.storage)
    }

    /// The record, counted.
    public var record: Record { unsafe Record(storage: storage.takeUnretainedValue()) }

    /// The model exists.
    public var exists: Bool { unsafe storage._withUnsafeGuaranteedRef { $0.facts.exists } }

    /// The size of the encoded record.
    public var byteCount: Int { unsafe storage._withUnsafeGuaranteedRef { Int($0.facts.byteCount) } }

    /// ``Record/applying(_:to:plan:keepingEqual:)`` to the record, which is not counted for it.
    @inline(__always)
    public func applying(
        _ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool
    ) -> UnmanagedMerge {
        unsafe storage._withUnsafeGuaranteedRef {
            unsafe $0.applying(update, plan: &plan, keepingEqual: keepingEqual)
        }
    }

    /// The record, with the count that this reference owned.
    public func take() -> Record { unsafe Record(storage: storage.takeRetainedValue()) }

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
    public func hasID(_ id: Span<UInt8>) -> Bool { unsafe storage._withUnsafeGuaranteedRef { $0.hasID(id) } }

    /// Asks for the record's memory, so that a merge soon after finds it in the cache. Does not wait for it.
    /// - Parameter byteCount: how large the record is thought to be: to ask it would mean to wait. More than
    ///   ``prefetchedByteCountMax`` is left to the processor's own foresight.
    @inline(__always)
    public func prefetch(byteCount: Int) {
        let object = unsafe UnsafeRawPointer(storage.toOpaque())
        let end = unsafe min(byteCount, UnmanagedRecord.prefetchedByteCountMax) &+ RecordStorage.headerByteCount
        var offset = 0
        while offset < end {
            unsafe cprefetch(object + offset)
            offset &+= 64
        }
        // The last line, where the object does not begin with one.
        unsafe cprefetch(object + (end &- 1))
    }

    private static let prefetchedByteCountMax = 1024
}

/// What came of a merge: as ``MergeResult``, with a record that is not counted.
@unsafe public struct UnmanagedMerge {
    /// Owns a count; nil when nothing at all changed.
    public var record: UnmanagedRecord?
    public var isVisible = false
    public var digestDelta: UInt64 = 0
    public var conflictingCells = 0

    /// Nothing has changed.
    @inline(__always)
    init() {}

    /// Takes over the count of the result's record.
    public init(_ result: consuming MergeResult) {
        unsafe isVisible = result.isVisible
        unsafe digestDelta = result.digestDelta
        unsafe conflictingCells = result.conflictingCells
        if let made = result.record { unsafe record = UnmanagedRecord(made) }
    }
}

extension MergeResult {
    /// Takes over the count of the result's record.
    init(_ merge: UnmanagedMerge) {
        unsafe self.init(
            record: merge.record?.take(), isVisible: merge.isVisible, digestDelta: merge.digestDelta,
            conflictingCells: merge.conflictingCells)
    }
}
