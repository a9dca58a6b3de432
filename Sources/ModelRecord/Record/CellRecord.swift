import ModelCBOR

/// One version of one model: an immutable value, one heap object, free to share between threads.
///
/// A record holds the merged state of section 2 of the protocol article: per field a cell with a value and the
/// version that wrote it, and the versions `floor` and `touched` of the model as a whole. Merging makes a new record;
/// this one never changes. Values are decoded when they are read.
///
/// ```swift
/// let record = cache["User", "42"]
/// let age = record?["age"]?.intValue
/// ```
/// A record does not hold the name of its type: a cache keeps records by type.
public struct CellRecord: @unchecked Sendable {
    // `@unchecked` because ManagedBuffer is not Sendable. RecordStorage.make writes the facts and RecordBuilder the
    // bytes and the directory, once, before the record is handed out. From then on all are only read, except while the
    // writer holds the only reference (UnmanagedRecord.overwrite). The word for hash and views is atomic.
    let storage: RecordStorage

    /// The encoded record, `[id, floor, touched, cells]`, as it stands in a snapshot chunk.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.bytes }
    }

    /// The size of the encoded record.
    public var byteCount: Int { Int(storage.packed.byteCount) }

    /// The model's identity within its type.
    public var id: String {
        CBORReader(storage.bytes).string(idRange)
    }

    /// The id's UTF-8 bytes, lent from ``bytes``.
    public var idBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let range = idRange
            return storage.bytes.extracting(range)
        }
    }

    /// FNV-1a of the id.
    public var idHash: UInt64 { storage.idHash }

    /// True when the model exists: it was merged or replaced, and not deleted since. A record that does not exist is a
    /// tombstone.
    public var exists: Bool { storage.packed.exists }

    /// True when the model exists and is not withdrawn: what a reader sees.
    public var isPresent: Bool { storage.packed.isPresent }

    /// The record where readers see the model, else nil.
    package var ifPresent: CellRecord? { isPresent ? self : nil }

    /// True when readers take the model for absent although it exists: its lease has ended. Merging, digests, senders
    /// and stores do not see a difference, so that copies stay equal.
    public var isWithdrawn: Bool { storage.packed.isWithdrawn }

    /// True of what observers are told instead of a model that has left a copy for its limits (``evicted(plan:)``).
    package var isEvicted: Bool { storage.packed.isEvicted }

    /// The number of cells, including those of removed fields.
    public var cellCount: Int { Int(storage.cellCount) }

    /// The greatest version of any replace or delete, if there was one.
    public var floor: Version? {
        var reader = CBORReader(storage.bytes, at: idRange.upperBound)
        return VersionSlice(reading: &reader)?.version(in: storage.bytes)
    }

    /// The greatest version of any merge or replace, if there was one.
    public var touched: Version? {
        var reader = CBORReader(storage.bytes, at: idRange.upperBound)
        _ = VersionSlice(reading: &reader)
        return VersionSlice(reading: &reader)?.version(in: storage.bytes)
    }

    /// The greatest version of any write to the model as a whole; nil where nothing was written to it.
    package var lastVersion: Version? {
        guard let touched, let floor else { return touched ?? floor }
        return max(touched, floor)
    }

    /// The stamp of ``floor`` or ``touched``, whichever is greater; 0 where there is neither.
    /// - Complexity: O(1)
    public var lastStamp: Stamp {
        var reader = CBORReader(storage.bytes, at: idRange.upperBound)
        let floor = VersionSlice(reading: &reader)?.stamp ?? 0
        return max(floor, VersionSlice(reading: &reader)?.stamp ?? 0)
    }

    /// True when the id of this record is exactly `id`.
    public func hasID(_ id: Span<UInt8>) -> Bool { storage.hasID(id) }

    /// The range of the id's text in ``bytes``.
    var idRange: Range<Int> { storage.packed.idRange }

    /// The address of the record; valid while somebody holds a reference to it.
    @unsafe package var address: UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passUnretained(storage).toOpaque())
    }

    /// True when both are the same object, which implies that they are equal.
    public func isIdentical(to other: CellRecord) -> Bool { storage === other.storage }
}

extension CellRecord: Hashable {
    /// Equal records have equal encodings: the same state, versions included.
    public static func == (left: CellRecord, right: CellRecord) -> Bool {
        if left.storage === right.storage { return true }
        return Bytes.areEqual(left.bytes, right.bytes)
    }

    public func hash(into hasher: inout Hasher) {
        hashID(into: &hasher)
        if let touched { hasher.combine(touched.stamp) }
    }
}

extension CellRecord: CustomStringConvertible {
    /// The id and the known fields, for logs and debuggers.
    public var description: String {
        guard isPresent else { return "\(id): \(isWithdrawn ? "withdrawn" : "deleted")" }
        let fields = cells.compactMap { $0.value == .undefined ? nil : "\($0.field): \($0.value)" }
        return "\(id) [\(fields.joined(separator: ", "))]"
    }
}
