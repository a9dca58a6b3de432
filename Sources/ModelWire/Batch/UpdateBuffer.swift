import ModelCBOR
public import ModelRecord

/// Updates that wait to be stamped: checked, encoded, and one behind the other in one buffer.
///
/// An origin merges a batch of writes from this buffer, without a copy. The buffer keeps its memory for the next batch,
/// so adding updates allocates nothing once the buffer is warm.
public struct UpdateBuffer: Sendable {
    private var writer = CBORWriter()
    /// The place of each update in ``bytes``. All are merges without a stamp, until the owner sets operation and stamp;
    /// ``hashIDs()`` fills in the hashes of their ids.
    public var slices: [UpdateSlice] = []
    /// The number of slices whose ids have been hashed.
    private var hashedCount = 0
    /// False where no update says when its model ends.
    public private(set) var mayExpire = false

    /// The most bytes that a buffer holds; well below what the 32-bit offsets of a slice can address.
    public static let byteCountMax = 1 << 30

    /// An empty buffer.
    public init() {}

    /// The ids and fields of all updates.
    public var bytes: [UInt8] { writer.bytes }

    /// How many updates there are.
    public var count: Int { slices.count }

    /// The size of the memory that the buffer keeps.
    public var capacityByteCount: Int {
        writer.bytes.capacity + slices.capacity * MemoryLayout<UpdateSlice>.stride
    }

    /// Adds a merge.
    /// - Throws: ``WireError`` for a bad id or bad fields, as `EncodedFields(_:limits:)` does; nothing has been added
    ///   then.
    /// - Complexity: O(*bytes*), no allocation when there is memory and no value is nested.
    public mutating func append(id: String, fields: Fields, limits: WireLimits) throws(WireError) {
        let sizes = fields.encodedSizes
        if sizes.mayExpire || !fields.isEncoded, try fields.checkExpiry() { mayExpire = true }
        // Most fields need no work and are only lent: to copy the reference would cost as much as to copy the bytes.
        if fields.isReady(limits, sizes) {
            try append(id: id, fields.encodedSpan, fieldCount: fields.count)
        } else {
            let encoded = try EncodedFields(fields, limits: limits)
            try append(id: id, encoded.bytes.span, fieldCount: encoded.count)
        }
    }

    @inline(__always)
    private mutating func append(id: String, _ fields: Span<UInt8>, fieldCount: Int) throws(WireError) {
        let idByteCount = id.utf8.count
        guard idByteCount > 0, idByteCount <= 255 else { throw UpdateBuffer.refusal(of: id) }
        let idStart = writer.count
        let fieldsStart = idStart + idByteCount
        let end = fieldsStart + fields.count
        guard end <= UpdateBuffer.byteCountMax else {
            throw WireError(.limit, "the writes take more than \(UpdateBuffer.byteCountMax) bytes together; split them")
        }
        // Room for the id and the fields.
        unsafe writer.append(upTo: end - idStart) { filler in
            unsafe id.withUTF8Bytes { unsafe filler.append($0) }
            unsafe filler.append(fields)
        }
        guard !ByteFacts(writer.bytes.span, idStart..<fieldsStart).hasNUL else {
            writer.bytes.removeLast(end - idStart)
            throw UpdateBuffer.refusal(of: id)
        }
        slices.append(
            UpdateSlice(
                operation: .merge, stamp: 0, idHash: 0, id: idStart..<fieldsStart, fields: fieldsStart..<end,
                fieldCount: fieldCount))
    }

    /// Hashes the ids of the updates that were added since the last call. Hashing all at once is several times faster
    /// than one by one.
    public mutating func hashIDs() {
        guard hashedCount < slices.count else { return }
        let bytes = writer.bytes
        UpdateSlice.hashIDs(of: &slices, from: hashedCount, in: bytes.span)
        hashedCount = slices.count
    }

    /// A copy of the fields of one update.
    public func fields(at index: Int) -> EncodedFields {
        let slice = slices[index]
        return EncodedFields(
            bytes: Array(writer.bytes[slice.fieldsRange]), count: Int(slice.fieldCount), mayExpire: mayExpire)
    }

    private static func refusal(of id: String) -> WireError {
        do throws(NameError) {
            try Names.check(id: id)
            preconditionFailure("an id that was refused breaks a rule")
        } catch {
            return WireError(error)
        }
    }

    /// Forgets the updates and keeps the memory.
    public mutating func removeAll() {
        writer.removeAll()
        (hashedCount, mayExpire) = (0, false)
        slices.removeAll(keepingCapacity: true)
    }
}

extension UpdateSlice {
    /// The range of the pairs in the buffer.
    public var fieldsRange: Range<Int> { Int(fieldsStart)..<(Int(fieldsStart) + Int(fieldsByteCount)) }
}
