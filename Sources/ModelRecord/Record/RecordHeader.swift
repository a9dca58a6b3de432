/// The sizes and offsets of a record's encoding; see ``RecordFacts`` for how a record keeps them.
struct RecordHeader {
    /// FNV-1a of the id.
    var idHash: UInt64
    /// The size of the encoded record.
    var byteCount: UInt32
    /// Where the first cell begins.
    var cellsOffset: UInt32
    /// How many cells there are.
    var cellCount: UInt32
    /// The size of the id.
    var idByteCount: UInt8
    /// The size of the encoded floor, behind the id; `touched` stands behind it.
    var floorByteCount: UInt8
    /// The model exists: touched is not below floor. Of a record that is withdrawn false, as it may not be overwritten.
    var exists: Bool
    /// The offsets of two cells, if the record is small.
    var signposts = CellDirectory.Signposts()

    /// See ``CellDirectory``.
    @inline(__always)
    var isSmall: Bool { CellDirectory.isSmall(byteCount: Int(byteCount), cellCount: Int(cellCount)) }

    /// The size of the directory behind the encoding; 0 for a small record.
    @inline(__always)
    var directoryByteCount: Int {
        if isSmall { return 0 }
        return CellDirectory.byteCount(recordByteCount: Int(byteCount), cellCount: Int(cellCount))
    }

    /// The range of the id's text in the encoding.
    @inline(__always)
    var idRange: Range<Int> { RecordHeader.idRange(byteCount: Int(idByteCount)) }

    /// The range of the text of an id of `byteCount` bytes.
    @inline(__always)
    static func idRange(byteCount: Int) -> Range<Int> {
        let start = idOffset(byteCount)
        return start..<(start &+ byteCount)
    }

    /// Where `touched` begins.
    @inline(__always)
    var touchedOffset: Int { idRange.upperBound &+ Int(floorByteCount) }

    /// The offset of the text of an id of `byteCount` bytes: behind the array's head and the text's head.
    @inline(__always)
    static func idOffset(_ byteCount: Int) -> Int {
        1 &+ RecordBuilder.headSize(UInt64(truncatingIfNeeded: byteCount))
    }

    /// The size of the encoding and the directory.
    @inline(__always)
    var storedByteCount: Int { Int(byteCount) &+ directoryByteCount }
}
