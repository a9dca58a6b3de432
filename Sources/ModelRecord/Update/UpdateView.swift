/// One update, lent from the buffer in which it arrived or was encoded.
///
/// The bytes must be valid: names within their limits, `fields` in deterministic encoding without a key twice.
/// ModelWire checks them before it hands out an update.
@frozen public struct UpdateView: ~Escapable {
    /// The kind of the update.
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

    /// A view of bytes that the caller has checked.
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
