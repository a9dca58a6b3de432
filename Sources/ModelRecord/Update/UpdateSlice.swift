/// The place of one update in the bytes of a batch. All offsets are into those bytes.
@frozen public struct UpdateSlice: Sendable {
    /// The kind of the update.
    public var operation: UpdateOperation
    /// The update's own stamp: the batch's plus the update's offset.
    public var stamp: Stamp
    /// ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of the id.
    public var idHash: UInt64
    /// The offset of the id's text, behind its head.
    public var idStart: UInt32
    /// The size of the id's text.
    public var idByteCount: UInt32
    /// The offset of the pairs of the field map, behind its head.
    public var fieldsStart: UInt32
    /// The size of the pairs.
    public var fieldsByteCount: UInt32
    /// The number of pairs.
    public var fieldCount: UInt32

    /// A slice of these ranges, which must be below 4 GiB; traps otherwise.
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
