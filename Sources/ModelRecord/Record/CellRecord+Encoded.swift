public import ModelCBOR

extension CellRecord {
    /// Reads and checks the next encoded record of `reader`,
    /// `[id, floor, touched, { * field => [value, stamp, origin] }]`.
    ///
    /// Accepts any order of keys and any well-formed encoding; the record holds the deterministic one.
    /// Elements that an array has beyond those named here are ignored.
    /// - Parameters:
    ///   - reader: the reader, which stands behind the record afterwards.
    ///   - maxDepth: how deep values may be nested.
    /// - Throws: `CBORError`: malformed bytes, a name or a depth past its limit, a cell whose version lies outside
    ///   floor to touched, which no sequence of updates brings about.
    @_spi(RecordWriting)
    public init(reading reader: inout CBORReader, maxDepth: Int = 64) throws(CBORError) {
        let start = reader.offset
        var probe = CBORReader(reader.bytes, at: start)
        if let header = try? CellRecord.check(&probe, maxDepth: maxDepth), probe.isDeterministic {
            self = RecordBuilder.copy(reader.bytes.extracting(start..<probe.offset), header)
            reader.offset = probe.offset
            return
        }
        // Bytes that fail the check come from elsewhere: in another encoding, with longer arrays, or no record at all.
        var canonical = CBORWriter()
        // Three levels above a value: the record, its map and the cell.
        try canonical.writeCanonical(&reader, maxDepth: maxDepth + 3)
        do {
            let trimmed = try CellRecord.trimmed(canonical.bytes.span)
            var again = CBORReader(trimmed.span)
            self = RecordBuilder.copy(trimmed.span, try CellRecord.check(&again, maxDepth: maxDepth))
        } catch {
            // The offset in the rewritten bytes says nothing to the caller.
            throw CBORError(error.code, at: start)
        }
    }

    /// Checks a record whose arrays have exactly the elements that this version knows; leaves the reader behind it.
    /// - Returns: the header of a record of these bytes, for use only if they are deterministic.
    private static func check(_ reader: inout CBORReader, maxDepth: Int) throws(CBORError) -> RecordHeader {
        let start = reader.offset
        guard try reader.readArrayHead() == 4 else { throw CBORError(.unexpectedType, at: start) }
        let id = try reader.readText()
        guard (1...255).contains(id.count), !ByteFacts(reader.bytes, id).hasNUL else {
            throw CBORError(.limit, at: id.lowerBound)
        }
        let floor = try checkVersion(&reader)
        let floorEnd = reader.offset
        let touched = try checkVersion(&reader)
        let pairs = try reader.readMapHead()
        let cellsStart = reader.offset
        var index = 0
        var origin = touched?.origin ?? 0..<0
        var previous = reader.offset..<reader.offset
        let usual = UsualCells(floor: floor, touched: touched)
        while pairs == nil ? !reader.readBreak() : index < (pairs ?? 0) {
            let keyStart = reader.offset
            if let (keyEnd, end) = usual?.check(reader.bytes, at: keyStart, after: previous) {
                previous = keyStart..<keyEnd
                reader.offset = end
                index += 1
                continue
            }
            let name = try reader.readText()
            guard (1...128).contains(name.count) else { throw CBORError(.limit, at: keyStart) }
            try reader.checkOrder(of: keyStart..<reader.offset, after: previous)
            previous = keyStart..<reader.offset
            try checkCell(&reader, floor: floor, touched: touched, origin: &origin, maxDepth: maxDepth)
            index += 1
        }
        guard reader.offset - start <= Int(UInt32.max) else { throw CBORError(.limit, at: start) }
        return RecordHeader(
            idHash: Fingerprint.fnv(reader.bytes.extracting(id)), byteCount: UInt32(reader.offset - start),
            cellsOffset: UInt32(cellsStart - start), cellCount: UInt32(index),
            idByteCount: UInt8(id.count),
            floorByteCount: UInt8(truncatingIfNeeded: floorEnd - id.upperBound),
            exists: exists(floor: floor.view(in: reader.bytes), touched: touched.view(in: reader.bytes)))
    }

    private static func checkVersion(_ reader: inout CBORReader) throws(CBORError) -> VersionSlice? {
        if reader.readNull() { return nil }
        let start = reader.offset
        guard try reader.readArrayHead() == 2 else { throw CBORError(.unexpectedType, at: start) }
        return try VersionSlice(checking: &reader, known: 0..<0)
    }

    /// Checks a cell. Its version is not above `touched`, as every write of a cell touches the model, and not below
    /// `floor`, as a raised floor drops older cells.
    /// - Parameter origin: the range of the origin name that was checked last. Most cells of a record have one origin,
    ///   whose name is checked once.
    private static func checkCell(
        _ reader: inout CBORReader, floor: VersionSlice?, touched: VersionSlice?, origin: inout Range<Int>,
        maxDepth: Int
    ) throws(CBORError) {
        let start = reader.offset
        guard try reader.readArrayHead() == 3 else { throw CBORError(.unexpectedType, at: start) }
        try reader.skipValue(maxDepth: maxDepth)
        let version = try VersionSlice(checking: &reader, known: origin)
        origin = version.origin
        let view = VersionView(version, in: reader.bytes)
        guard let touched, view.compare(VersionView(touched, in: reader.bytes)) <= 0 else {
            throw CBORError(.limit, at: start)
        }
        guard let floor else { return }
        guard view.compare(VersionView(floor, in: reader.bytes)) >= 0 else { throw CBORError(.limit, at: start) }
    }

    /// Copies a deterministic encoding without the array elements that this version does not know.
    private static func trimmed(_ canonical: Span<UInt8>) throws(CBORError) -> [UInt8] {
        var reader = CBORReader(canonical)
        var writer = CBORWriter(reserving: canonical.count)
        let count = try reader.readArrayHead() ?? 0
        guard count >= 4 else { throw CBORError(.unexpectedType, at: 0) }
        writer.writeArrayHead(4)
        writer.copyItem(&reader)
        for _ in 0..<2 {
            if reader.readNull() { writer.writeNull() } else { try writer.copyArray(of: 2, &reader) }
        }
        let pairs = try reader.readMapHead() ?? 0
        writer.writeMapHead(pairs)
        for _ in 0..<pairs {
            writer.copyItem(&reader)
            try writer.copyArray(of: 3, &reader)
        }
        return writer.bytes
    }

    /// A model exists when touched is not below floor; none is below everything.
    static func exists(floor: borrowing VersionView?, touched: borrowing VersionView?) -> Bool {
        switch touched {
        case nil: return false
        case let touched?:
            switch floor {
            case nil: return true
            case let floor?: return touched.compare(floor) >= 0
            }
        }
    }
}

extension VersionSlice {
    /// Reads and checks `stamp, origin`, the end of a version or a cell.
    /// - Parameter known: the range of an origin name that was checked before; may be empty.
    fileprivate init(checking reader: inout CBORReader, known: Range<Int>) throws(CBORError) {
        stamp = try reader.readUnsigned()
        origin = try reader.readText()
        if origin.count == known.count, !known.isEmpty,
            Bytes.areEqual(reader.bytes, origin.lowerBound, reader.bytes, known.lowerBound, count: known.count)
        {
            return
        }
        guard Names.isOrigin(reader.bytes.extracting(origin)) else { throw CBORError(.limit, at: origin.lowerBound) }
    }
}

extension CBORWriter {
    /// Copies an item that is known to be valid and of definite length.
    fileprivate mutating func copyItem(_ reader: inout CBORReader) {
        let start = reader.offset
        reader.skipValidItem()
        append(encoded: reader.bytes.extracting(start..<reader.offset))
    }

    /// Copies the first `count` elements of an array of definite length and passes over the others.
    fileprivate mutating func copyArray(of count: Int, _ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        let found = try reader.readArrayHead() ?? 0
        guard found >= count else { throw CBORError(.unexpectedType, at: start) }
        writeArrayHead(count)
        for _ in 0..<count { copyItem(&reader) }
        for _ in count..<found { reader.skipValidItem() }
    }
}
