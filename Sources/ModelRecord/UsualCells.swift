import ModelCBOR

/// Checks cells of the usual shape by words instead of item by item: a short ASCII name, a short text, byte string or
/// integer, a stamp of nine bytes, the origin of `touched`. Nearly all cells of a snapshot are like that.
///
/// What it passes over is exactly what the reader would accept as deterministic; anything else it leaves to the reader.
struct UsualCells {
    private let floorStamp: Stamp?
    private let touched: VersionSlice

    /// - Returns: nil for a record whose cells cannot be of that shape.
    init?(floor: VersionSlice?, touched: VersionSlice?) {
        guard let touched, (1..<24).contains(touched.origin.count) else { return nil }
        self.touched = touched
        floorStamp = floor?.stamp
    }

    /// As far as ``check(_:at:after:)`` looks: name, array, value, stamp and origin, and words that reach past them.
    private static let byteCountMax = 24 + 1 + 24 + 9 + 24 + 8

    /// Checks the cell at `offset`: `field => [value, stamp, origin]`.
    /// - Parameter previous: the key of the cell before; empty for the first.
    /// - Returns: where the key and the cell end; nil where it is not of the usual shape, or not valid.
    @inline(__always)
    func check(
        _ bytes: Span<UInt8>, at offset: Int, after previous: Range<Int>
    ) -> (keyEnd: Int, end: Int)? {
        guard bytes.count &- offset >= UsualCells.byteCountMax else { return nil }
        let nameCount = Int(UsualCells.byte(bytes, offset)) &- 0x60
        guard nameCount > 0, nameCount < 24, UsualCells.isASCII(bytes, offset &+ 1, nameCount) else { return nil }
        let keyEnd = offset &+ 1 &+ nameCount
        if !previous.isEmpty, Bytes.compare(bytes.extracting(previous), bytes.extracting(offset..<keyEnd)) >= 0 {
            return nil
        }
        guard UsualCells.byte(bytes, keyEnd) == 0x83, let stamp = UsualCells.endOfValue(bytes, keyEnd &+ 1) else {
            return nil
        }
        guard isUsualVersion(bytes, stamp) else { return nil }
        return (keyEnd, stamp &+ 10 &+ touched.origin.count)
    }

    /// A stamp above the floor and not above `touched`, of the origin of that.
    @inline(__always)
    private func isUsualVersion(_ bytes: Span<UInt8>, _ offset: Int) -> Bool {
        guard UsualCells.byte(bytes, offset) == 0x1B else { return false }
        let stamp = Bytes.word(bytes, offset &+ 1)
        guard stamp > UInt64(UInt32.max), stamp <= touched.stamp else { return false }
        if let floorStamp, stamp <= floorStamp { return false }
        let origin = touched.origin
        return Int(UsualCells.byte(bytes, offset &+ 9)) &- 0x60 == origin.count
            && Bytes.areEqual(bytes, offset &+ 10, bytes, origin.lowerBound, count: origin.count)
    }

    /// Where a value ends that is a string of up to 23 bytes, an integer of up to 32 bits, a bool or null.
    @inline(__always)
    private static func endOfValue(_ bytes: Span<UInt8>, _ offset: Int) -> Int? {
        let head = byte(bytes, offset)
        let low = Int(head & 0x1F)
        switch head {
        case 0x00..<0x18, 0x20..<0x38, 0xF4...0xF7: return offset &+ 1
        case 0x40..<0x58: return offset &+ 1 &+ low
        case 0x60..<0x78: return isASCII(bytes, offset &+ 1, low) ? offset &+ 1 &+ low : nil
        // The shortest form only.
        case 0x18, 0x38: return byte(bytes, offset &+ 1) >= 24 ? offset &+ 2 : nil
        case 0x19, 0x39: return byte(bytes, offset &+ 1) != 0 ? offset &+ 3 : nil
        case 0x1A, 0x3A:
            return byte(bytes, offset &+ 1) | byte(bytes, offset &+ 2) != 0 ? offset &+ 5 : nil
        default: return nil
        }
    }

    /// A byte that is known to be there: ``byteCountMax`` was checked.
    @inline(__always)
    private static func byte(_ bytes: Span<UInt8>, _ offset: Int) -> UInt8 { unsafe bytes[unchecked: offset] }

    /// No byte of fewer than 24 is above 0x7F. There are 24 from `offset` on.
    @inline(__always)
    private static func isASCII(_ bytes: Span<UInt8>, _ offset: Int, _ count: Int) -> Bool {
        var seen: UInt64 = 0
        var start = 0
        while start < count {
            let left = count &- start
            let mask: UInt64 = left >= 8 ? .max : ~(UInt64.max &>> UInt64(left &* 8))
            seen |= Bytes.word(bytes, offset &+ start) & mask
            start &+= 8
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}
