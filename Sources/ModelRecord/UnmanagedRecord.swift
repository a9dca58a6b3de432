/// A reference to a record that is not counted: what an index keeps that looks at many records and hands out few.
///
/// Counting references costs an atomic operation each way, which also keeps the processor from looking ahead; a search
/// that only compares ids does without. Whoever makes one owns a count and gives it up with ``release()`` or
/// ``take()``.
@unsafe public struct UnmanagedRecord {
    private let storage: Unmanaged<RecordStorage>

    /// Takes over the count of `record`.
    public init(_ record: consuming Record) {
        unsafe storage = .passRetained(record.storage)
    }

    /// The record, counted.
    public var record: Record { unsafe Record(storage: storage.takeUnretainedValue()) }

    /// The model exists.
    public var exists: Bool { unsafe storage._withUnsafeGuaranteedRef { $0.facts.exists } }

    /// ``Record/applying(_:to:plan:keepingEqual:)`` to the record, which is not counted for it.
    public func applying(
        _ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool
    ) -> MergeResult {
        unsafe storage._withUnsafeGuaranteedRef { storage in
            Record.applying(update, to: Record(storage: storage), plan: &plan, keepingEqual: keepingEqual)
        }
    }

    /// The record, with the count that this reference owned.
    public func take() -> Record { unsafe Record(storage: storage.takeRetainedValue()) }

    /// Gives up the count that this reference owned.
    public func release() { unsafe storage.release() }

    /// True when the id of the record is exactly `id`.
    public func hasID(_ id: Span<UInt8>) -> Bool {
        unsafe storage._withUnsafeGuaranteedRef { storage in
            let start = Int(storage.facts.idOffset)
            guard Int(storage.facts.idByteCount) == id.count else { return false }
            return Bytes.areEqual(storage.bytes.extracting(start..<(start &+ id.count)), id)
        }
    }

    /// Reads a byte of each cache line of the record, so that a merge soon after finds them in the cache.
    ///
    /// Worth it for several records in a row: their cache misses overlap.
    /// - Returns: some value of these bytes, for the caller to use, lest the reads are optimised away.
    public func touch() -> UInt64 {
        // An object begins with at least two words; its reference count, which a merge changes, is one of them.
        let count = unsafe storage.toOpaque().load(as: UInt64.self)
        return unsafe storage._withUnsafeGuaranteedRef { storage in
            let bytes = storage.bytes
            var some = UInt8(truncatingIfNeeded: count)
            var offset = 0
            while offset < bytes.count {
                some ^= bytes[offset]
                offset &+= 64
            }
            return UInt64(some)
        }
    }
}
