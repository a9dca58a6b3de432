import ModelCBOR

/// Checks cells of the usual shape by words instead of item by item: a short ASCII name, a short text, byte string or
/// integer, a stamp of nine bytes, the origin of `touched`. Nearly all cells of a snapshot are like that.
///
/// The check passes over only cells that the reader would accept as deterministic, and leaves others to the reader.
struct UsualCells {
    private let floorStamp: Stamp?
    private let touched: VersionSlice

    /// - Returns: nil for a record whose cells cannot be of that shape.
    init?(floor: VersionSlice?, touched: VersionSlice?) {
        guard let touched, (1..<24).contains(touched.origin.count) else { return nil }
        self.touched = touched
        floorStamp = floor?.stamp
    }

    /// The size of the bytes that ``check(_:at:after:)`` reads: name, array, value, stamp and origin, and words that
    /// reach past them.
    private static let byteCountMax = 24 + 1 + 24 + 9 + 24 + 8

    /// Checks the cell at `offset`: `field => [value, stamp, origin]`.
    /// - Parameter previous: the key of the cell before; empty for the first.
    /// - Returns: the ends of the key and of the cell; nil for a cell of another shape, or an invalid one.
    @inline(__always)
    func check(
        _ bytes: Span<UInt8>, at offset: Int, after previous: Range<Int>
    ) -> (keyEnd: Int, end: Int)? {
        guard bytes.count &- offset >= UsualCells.byteCountMax else { return nil }
        let nameCount = Int(UsualItem.byte(bytes, offset)) &- 0x60
        guard nameCount > 0, nameCount < 24, UsualItem.isASCII(bytes, offset &+ 1, nameCount) else { return nil }
        let keyEnd = offset &+ 1 &+ nameCount
        if !previous.isEmpty, Bytes.compare(bytes.extracting(previous), bytes.extracting(offset..<keyEnd)) >= 0 {
            return nil
        }
        guard UsualItem.byte(bytes, keyEnd) == 0x83, let stamp = UsualItem.end(ofValueAt: keyEnd &+ 1, in: bytes) else {
            return nil
        }
        guard isUsualVersion(bytes, stamp) else { return nil }
        return (keyEnd, stamp &+ 10 &+ touched.origin.count)
    }

    /// True for a stamp above the floor's and not above that of `touched`, followed by the origin of `touched`.
    @inline(__always)
    private func isUsualVersion(_ bytes: Span<UInt8>, _ offset: Int) -> Bool {
        guard UsualItem.byte(bytes, offset) == 0x1B else { return false }
        let stamp = Bytes.word(bytes, offset &+ 1)
        guard stamp > UInt64(UInt32.max), stamp <= touched.stamp else { return false }
        if let floorStamp, stamp <= floorStamp { return false }
        let origin = touched.origin
        return Int(UsualItem.byte(bytes, offset &+ 9)) &- 0x60 == origin.count
            && Bytes.areEqual(bytes, offset &+ 10, bytes, origin.lowerBound, count: origin.count)
    }
}
