import ModelCBOR

/// Finds the place of a field among encoded cells: the inner loop of a merge, hence by words rather than by bytes.
///
/// The cells must be valid (they are a record's own). Each read is checked all the same: bytes that are not what was
/// promised end in a trap, not in a wild read.
struct CellScan {
    /// The first eight bytes of a key, head included, as they would be compared; shorter keys are filled up with zeros.
    private let word: UInt64
    /// Covers the bytes of the key within ``word``.
    private let mask: UInt64
    private let keyByteCount: Int

    /// A scan for the encoded key in `range` of `fields`.
    @inline(__always)
    init(_ fields: Span<UInt8>, key range: Range<Int>) {
        keyByteCount = range.count
        let kept = min(range.count, 8)
        mask = kept == 8 ? .max : ~(UInt64.max &>> UInt64(kept &* 8))
        if fields.count &- range.lowerBound >= 8 {
            word = Bytes.word(fields, range.lowerBound) & mask
        } else {
            var bytes: UInt64 = 0
            for index in 0..<kept { bytes |= UInt64(fields[range.lowerBound &+ index]) &<< UInt64(56 &- index &* 8) }
            word = bytes
        }
    }

    /// Where a scan has stopped.
    struct Stop {
        /// How many cells stand before the key.
        var count: Int
        /// Where the first cell stands that does not.
        var offset: Int
        /// That cell is of the key.
        var isFound: Bool
    }

    /// Passes the cells that stand before the key.
    /// - Parameters:
    ///   - offset: where the first cell stands.
    ///   - left: how many cells there are from there on.
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
        // The first byte is the head, which tells the length of a short name: where it differs nothing else matters.
        if (other ^ word) &>> 56 != 0 { return other < word ? -1 : 1 }
        let masked = other & mask
        if masked != word { return masked < word ? -1 : 1 }
        return keyByteCount <= 8 ? 0 : compareBytes(cells, at: offset, fields, key)
    }

    private func compareBytes(_ cells: Span<UInt8>, at offset: Int, _ fields: Span<UInt8>, _ key: Range<Int>) -> Int {
        let end = CellScan.endOfText(cells, at: offset)
        return Bytes.compare(cells.extracting(offset..<end), fields.extracting(key))
    }

    /// Where the cell at `offset` ends: `field => [value, stamp, origin]`.
    @inline(__always)
    static func end(_ cells: Span<UInt8>, ofCellAt offset: Int) -> Int {
        // One byte for the head of the array of three.
        let value = endOfText(cells, at: offset) &+ 1
        let stamp = endOfItem(cells, at: value)
        return endOfText(cells, at: endOfItem(cells, at: stamp))
    }

    /// Where a text of at most 255 bytes ends.
    @inline(__always)
    private static func endOfText(_ cells: Span<UInt8>, at offset: Int) -> Int {
        let head = cells[offset]
        if head < 0x78 { return offset &+ 1 &+ Int(head & 0x1F) }
        return offset &+ 2 &+ Int(cells[offset &+ 1])
    }

    /// Where an item ends: the usual scalars here, all others by the reader.
    @inline(__always)
    private static func endOfItem(_ cells: Span<UInt8>, at offset: Int) -> Int {
        let head = cells[offset]
        // Text and byte strings of up to 23 bytes; a stamp; small integers of either sign.
        if head >= 0x40, head & 0x1F < 24, head < 0x78 { return offset &+ 1 &+ Int(head & 0x1F) }
        if head == 0x1B { return offset &+ 9 }
        if head < 0x38, head & 0x1F < 24 { return offset &+ 1 }
        var reader = CBORReader(cells, at: offset)
        reader.skipValidItem()
        return reader.offset
    }
}
