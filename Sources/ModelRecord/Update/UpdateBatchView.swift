/// The updates of one batch of one origin, lent from the buffer in which they arrived or were encoded.
///
/// The maker of the view has checked its bytes, as for ``UpdateView``.
@frozen public struct UpdateBatchView: ~Escapable {
    /// The buffer that the slices point into.
    public let bytes: Span<UInt8>
    /// The place of each update in ``bytes``.
    public let slices: Span<UpdateSlice>
    /// The name of the origin.
    public let origin: Span<UInt8>
    /// ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of ``origin``.
    public let originHash: UInt64

    /// A view of updates that the caller has checked.
    @_lifetime(copy bytes, copy slices, copy origin)
    @inlinable public init(
        bytes: Span<UInt8>, slices: Span<UpdateSlice>, origin: Span<UInt8>, originHash: UInt64
    ) {
        self.bytes = bytes
        self.slices = slices
        self.origin = origin
        self.originHash = originHash
    }

    /// How many updates there are.
    @inlinable public var count: Int { slices.count }

    /// The id of the update at `index`.
    @_lifetime(copy self)
    @inlinable public func id(at index: Int) -> Span<UInt8> {
        let slice = slices[index]
        let start = Int(slice.idStart)
        return bytes.extracting(start..<(start &+ Int(slice.idByteCount)))
    }

    /// The update at `index`.
    @_lifetime(copy self)
    @inlinable public func update(at index: Int) -> UpdateView {
        let slice = slices[index]
        let fieldsStart = Int(slice.fieldsStart)
        let idStart = Int(slice.idStart)
        return UpdateView(
            operation: slice.operation, stamp: slice.stamp, origin: origin, originHash: originHash,
            id: bytes.extracting(idStart..<(idStart &+ Int(slice.idByteCount))), idHash: slice.idHash,
            fields: bytes.extracting(fieldsStart..<(fieldsStart &+ Int(slice.fieldsByteCount))),
            fieldCount: Int(slice.fieldCount))
    }
}
