/// What an update does to a model (protocol article, section 2).
public enum UpdateOperation: UInt64, Sendable {
    /// Sets the fields that it carries, says nothing of the others.
    case merge = 0
    /// Sets the fields that it carries and drops all others that are older.
    case replace = 1
    /// Drops all fields that are older.
    case delete = 2
}

/// One update, lent from the buffer in which it arrived or was encoded.
///
/// The bytes must be valid: names within their limits, `fields` in deterministic encoding without a key twice.
/// ModelWire makes sure of that before it hands out an update.
@frozen public struct UpdateView: ~Escapable {
    public var operation: UpdateOperation
    /// The version's stamp.
    public var stamp: Stamp
    /// The name of the origin.
    public var origin: Span<UInt8>
    /// ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of ``origin``.
    public var originHash: UInt64
    /// The model's id.
    public var id: Span<UInt8>
    /// ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of ``id``.
    public var idHash: UInt64
    /// The pairs of the field map without its head: key, value, key, value, ….
    public var fields: Span<UInt8>
    /// How many pairs ``fields`` holds.
    public var fieldCount: Int

    @_lifetime(copy origin, copy id, copy fields)
    @inlinable public init(
        operation: UpdateOperation, stamp: Stamp, origin: Span<UInt8>, originHash: UInt64,
        id: Span<UInt8>, idHash: UInt64, fields: Span<UInt8>, fieldCount: Int
    ) {
        self.operation = operation
        self.stamp = stamp
        self.origin = origin
        self.originHash = originHash
        self.id = id
        self.idHash = idHash
        self.fields = fields
        self.fieldCount = fieldCount
    }
}

/// What came of applying an update or joining a state.
public struct MergeResult: Sendable {
    /// The new record, or nil when nothing at all changed: a duplicate or something older.
    public var record: CellRecord?
    /// A reader could tell the new record from the old one: existence or a value differs, not just a version.
    public var isVisible: Bool
    /// What to add, modulo 2^64, to the digest of the model's bucket.
    public var digestDelta: UInt64
    /// Cells that had the same version and another value: never from a correct origin.
    public var conflictingCells: Int

    static var unchanged: MergeResult {
        MergeResult(record: nil, isVisible: false, digestDelta: 0, conflictingCells: 0)
    }
}
