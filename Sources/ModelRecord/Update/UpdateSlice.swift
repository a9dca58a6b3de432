/// Where one update stands in the bytes of a batch. All ranges are offsets into those bytes.
@frozen public struct UpdateSlice: Sendable {
    public var operation: UpdateOperation
    /// The update's own stamp: the batch's plus the update's offset.
    public var stamp: Stamp
    /// ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of the id.
    public var idHash: UInt64
    /// The id's text, without its head.
    public var idStart: UInt32
    public var idByteCount: UInt32
    /// The pairs of the field map, without its head.
    public var fieldsStart: UInt32
    public var fieldsByteCount: UInt32
    public var fieldCount: UInt32

    @inlinable public init(
        operation: UpdateOperation, stamp: Stamp, idHash: UInt64, id: Range<Int>, fields: Range<Int>, fieldCount: Int
    ) {
        self.operation = operation
        self.stamp = stamp
        self.idHash = idHash
        idStart = UInt32(id.lowerBound)
        idByteCount = UInt32(id.count)
        fieldsStart = UInt32(fields.lowerBound)
        fieldsByteCount = UInt32(fields.count)
        self.fieldCount = UInt32(fieldCount)
    }
}
