import ModelCBOR
public import ModelRecord

/// Updates that wait to be stamped: checked, encoded, and one behind the other in one buffer.
///
/// It is what an origin merges a batch of writes from, without a copy. The memory stays for the next batch, so that
/// adding updates allocates nothing once the buffer is warm.
public struct UpdateBuffer: Sendable {
    private var writer = CBORWriter()
    /// Where each update stands in ``bytes``. All are merges without a stamp, until somebody gives them both; hashes of
    /// their ids are there after ``hashIDs()``.
    public var slices: [UpdateSlice] = []
    /// So many of them have the hashes of their ids.
    private var hashedCount = 0

    /// More bytes are refused: what an offset can tell.
    public static let byteCountMax = 1 << 30

    public init() {}

    /// The ids and fields of all updates.
    public var bytes: [UInt8] { writer.bytes }

    /// How many updates there are.
    public var count: Int { slices.count }

    /// The memory that it keeps.
    public var capacityByteCount: Int {
        writer.bytes.capacity + slices.capacity * MemoryLayout<UpdateSlice>.stride
    }

    /// Adds an update.
    /// - Throws: ``WireError`` for a bad id or bad fields, as `EncodedFields(_:limits:)` does; nothing has been added
    ///   then.
    /// - Complexity: O(*bytes*), no allocation when there is memory and no value is nested.
    public mutating func append(id: String, fields: Fields, limits: WireLimits) throws(WireError) {
        // Most are ready as they are, and only lent: to copy a reference costs as much as to copy the bytes.
        if fields.isReady(limits) {
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
        // The capacity is that of the two.
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

    /// Hashes the ids of the updates that were added since the last time: all at once, which is several times faster
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
        return EncodedFields(bytes: Array(writer.bytes[slice.fieldsRange]), count: Int(slice.fieldCount))
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
        hashedCount = 0
        slices.removeAll(keepingCapacity: true)
    }
}

extension UpdateSlice {
    /// Where the pairs stand.
    public var fieldsRange: Range<Int> { Int(fieldsStart)..<(Int(fieldsStart) + Int(fieldsByteCount)) }
}
