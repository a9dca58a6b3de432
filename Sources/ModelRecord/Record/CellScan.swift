import ModelCBOR

/// Finds the cell of a field among encoded cells. This is the inner loop of a merge, so it works by words rather than
/// by bytes.
///
/// The cells must be valid; they are a record's own. Each read is checked all the same: invalid bytes end in a trap,
/// not in a wild read.
struct CellScan {
    private let start: KeyStart
    private let keyByteCount: Int

    /// A scan for the encoded key in `range` of `fields`.
    @inline(__always)
    init(_ fields: Span<UInt8>, key range: Range<Int>) {
        start = KeyStart(fields, range)
        keyByteCount = range.count
    }

    /// Where a scan has stopped.
    struct Stop {
        /// How many cells stand before the key.
        var count: Int
        /// The offset of the first cell that does not stand before the key.
        var offset: Int
        /// The cell at ``offset`` has the key.
        var isFound: Bool
    }

    /// Passes the cells that stand before the key.
    /// - Parameters:
    ///   - offset: the offset of the first cell.
    ///   - left: the number of cells from `offset` on.
    @inline(__always)
    func run(_ cells: Span<UInt8>, from offset: Int, _ left: Int, _ fields: Span<UInt8>, _ key: Range<Int>) -> Stop {
        var offset = offset
        var count = 0
        while count < left {
            let order = compare(cells, at: offset, fields, key)
            if order >= 0 { return Stop(count: count, offset: offset, isFound: order == 0) }
            offset = CellScan.end(cells, ofCellAt: offset)
            count &+= 1
        }
        return Stop(count: count, offset: offset, isFound: false)
    }

    /// The order of the cell's key and the wanted one.
    @inline(__always)
    private func compare(_ cells: Span<UInt8>, at offset: Int, _ fields: Span<UInt8>, _ key: Range<Int>) -> Int {
        guard cells.count &- offset >= 8 else { return compareBytes(cells, at: offset, fields, key) }
        let other = Bytes.word(cells, offset)
        // The first byte is the head. It tells the length of a short name, so two heads that differ decide the order.
        if (other ^ start.word) &>> 56 != 0 { return other < start.word ? -1 : 1 }
        let masked = other & start.mask
        if masked != start.word { return masked < start.word ? -1 : 1 }
        return keyByteCount <= 8 ? 0 : compareBytes(cells, at: offset, fields, key)
    }

    private func compareBytes(_ cells: Span<UInt8>, at offset: Int, _ fields: Span<UInt8>, _ key: Range<Int>) -> Int {
        let end = CellScan.endOfText(cells, at: offset)
        return Bytes.compare(cells.extracting(offset..<end), fields.extracting(key))
    }

    /// The end of the cell at `offset`: `field => [value, stamp, origin]`.
    @inline(__always)
    static func end(_ cells: Span<UInt8>, ofCellAt offset: Int) -> Int {
        if let end = endOfUsual(cells, offset) { return end }
        // One byte for the head of the array of three.
        let value = endOfText(cells, at: offset) &+ 1
        let stamp = endOfItem(cells, at: value)
        return endOfText(cells, at: endOfItem(cells, at: stamp))
    }

    /// The size of a name of up to 23 bytes, the head of the array, and two bytes for the head of a string.
    private static let usualStartMax = 24 + 1 + 2
    /// The size of a usual stamp, and of the head of the origin.
    private static let usualTail = 9 + 1

    /// The end of a cell whose value is a string of up to 255 bytes, and whose name, stamp and origin are of the usual
    /// size; nil for any other cell.
    @inline(__always)
    private static func endOfUsual(_ cells: Span<UInt8>, _ offset: Int) -> Int? {
        guard cells.count &- offset >= usualStartMax else { return nil }
        let name = byte(cells, offset)
        guard name & 0x1F < 24 else { return nil }
        let value = offset &+ 2 &+ Int(name & 0x1F)
        let head = byte(cells, value)
        guard head & 0xC0 == 0x40, head & 0x1F < 25 else { return nil }
        let stamp =
            head & 0x1F < 24 ? value &+ 1 &+ Int(head & 0x1F) : value &+ 2 &+ Int(byte(cells, value &+ 1))
        guard cells.count &- stamp >= usualTail, byte(cells, stamp) == 0x1B else { return nil }
        let origin = byte(cells, stamp &+ 9)
        guard origin & 0x1F < 24 else { return nil }
        return stamp &+ 10 &+ Int(origin & 0x1F)
    }

    /// The byte at `offset`, which the caller has checked to be in bounds.
    @inline(__always)
    private static func byte(_ cells: Span<UInt8>, _ offset: Int) -> UInt8 { unsafe cells[unchecked: offset] }

    /// The hash of the name in an encoded key, which is within `bytes`.
    @inline(__always)
    static func nameHash(_ bytes: Span<UInt8>, key: Range<Int>) -> UInt64 {
        let start = key.lowerBound &+ (bytes[key.lowerBound] < 0x78 ? 1 : 2)
        return Fingerprint.fnv(bytes.extracting(start..<key.upperBound))
    }

    /// The end of a text of at most 255 bytes.
    @inline(__always)
    static func endOfText(_ cells: Span<UInt8>, at offset: Int) -> Int {
        let head = cells[offset]
        if head < 0x78 { return offset &+ 1 &+ Int(head & 0x1F) }
        return offset &+ 2 &+ Int(cells[offset &+ 1])
    }

    /// The end of an item. Usual scalars are decided here, all other items by ``CBORReader``.
    @inline(__always)
    static func endOfItem(_ cells: Span<UInt8>, at offset: Int) -> Int {
        let head = cells[offset]
        let information = head & 0x1F
        // Text and byte strings of up to 255 bytes.
        if head & 0xC0 == 0x40, information < 25 {
            return information < 24 ? offset &+ 1 &+ Int(information) : offset &+ 2 &+ Int(cells[offset &+ 1])
        }
        // Integers, a stamp among them, and simple values: the head, and 0 to 8 bytes for its argument.
        if head < 0x40 || head >= 0xE0 {
            return offset &+ 1 &+ (information < 24 ? 0 : 1 &<< Int(information & 3))
        }
        var reader = CBORReader(cells, at: offset)
        reader.skipValidItem()
        return reader.offset
    }
}
