/// The facts that a record keeps about its encoding, in seven bytes: sizes and offsets that the encoding does not tell
/// at once. The number of cells is read from the head of the map, and the size of a floor from its own heads.
struct RecordFacts {
    /// From the lowest bit on: 32 bits for the size of the record, 8 for the size of the id, 10 for the offset of the
    /// cells, 2 for the size of the map's head. Then one bit each: the model exists, there is a floor, the record is
    /// small, and the lowest bit of the id's hash, for which ``RecordStorage/IdentityWord`` has no room.
    ///
    /// In a small record, its size takes 10 of the 32 bits, and its ``CellDirectory/Signposts`` take 10 each. The
    /// highest of the 32 bits is that of a model that is withdrawn, or evicted where it does not exist: no record has
    /// 2 GiB.
    let bits: UInt64

    static let byteCount = 7
    static let mask: UInt64 = (1 << 56) - 1
    /// The bits of an offset within a small record.
    private static let offsetMask: UInt32 = (1 << 10) - 1

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ header: RecordHeader) {
        // An id has at most 255 bytes and an origin 64, so the cells begin before 1024. A map's head has 1, 2, 3 or 5
        // bytes, as there are fewer cells than bytes.
        precondition(header.cellsOffset < 1 << 10, "a record's head has grown too long")
        let count = header.cellCount
        let headSize: UInt64 = count < 24 ? 0 : count <= 0xFF ? 1 : count <= 0xFFFF ? 2 : 3
        let size =
            header.isSmall
            ? UInt64(header.byteCount) | UInt64(header.signposts.first) &<< 10
                | UInt64(header.signposts.second) &<< 20
            : UInt64(header.byteCount)
        bits =
            size | UInt64(header.idByteCount) &<< 32 | UInt64(header.cellsOffset) &<< 40
            | headSize &<< 50 | (header.exists ? 1 : 0) &<< 52 | (header.floorByteCount > 1 ? 1 : 0) &<< 53
            | (header.isSmall ? 1 : 0) &<< 54 | (header.idHash & RecordStorage.viewMark) &<< 55
    }

    @inline(__always)
    var byteCount: UInt32 { UInt32(truncatingIfNeeded: bits) & (isSmall ? RecordFacts.offsetMask : .max >> 1) }

    /// The signposts of a small record; meaningless for others.
    @inline(__always)
    var signposts: CellDirectory.Signposts {
        let bits = UInt32(truncatingIfNeeded: bits)
        return CellDirectory.Signposts(
            first: UInt16(truncatingIfNeeded: bits &>> 10 & RecordFacts.offsetMask),
            second: UInt16(truncatingIfNeeded: bits &>> 20 & RecordFacts.offsetMask))
    }

    @inline(__always)
    var idByteCount: UInt8 { UInt8(truncatingIfNeeded: bits &>> 32) }

    @inline(__always)
    var cellsOffset: UInt32 { UInt32(truncatingIfNeeded: bits &>> 40 & 0x3FF) }

    /// The size of the head of the map of cells.
    @inline(__always)
    var mapHeadByteCount: Int {
        let code = Int(truncatingIfNeeded: bits &>> 50 & 3)
        return code == 3 ? 5 : code &+ 1
    }

    @inline(__always)
    var exists: Bool { bits & RecordFacts.existence != 0 }

    /// See ``CellRecord/isWithdrawn``.
    @inline(__always)
    var isWithdrawn: Bool { marks == RecordFacts.existence | RecordFacts.withdrawal }

    /// See ``CellRecord/isEvicted``.
    @inline(__always)
    var isEvicted: Bool { marks == RecordFacts.withdrawal }

    /// See ``CellRecord/isPresent``.
    @inline(__always)
    var isPresent: Bool { marks == RecordFacts.existence }

    /// The bits that say together whether readers see the model.
    @inline(__always)
    private var marks: UInt64 { bits & (RecordFacts.existence | RecordFacts.withdrawal) }

    private static let existence: UInt64 = 1 &<< 52
    static let withdrawal: UInt64 = 1 &<< 31

    @inline(__always)
    var hasFloor: Bool { bits & 1 &<< 53 != 0 }

    @inline(__always)
    var isSmall: Bool { bits & 1 &<< 54 != 0 }

    /// The lowest bit of the id's hash.
    @inline(__always)
    var hashBit: UInt64 { bits &>> 55 & 1 }

    /// The range of the id's text in the encoding.
    @inline(__always)
    var idRange: Range<Int> { RecordHeader.idRange(byteCount: Int(idByteCount)) }

    @inline(__always)
    var idEnd: Int { idRange.upperBound }
}
