/// The first eight bytes of an encoded field name, head included, as one word, which compares as the bytes do.
struct KeyStart {
    /// A shorter name is filled up with zeros.
    let word: UInt64
    /// Covers the bytes of the name within ``word``.
    let mask: UInt64

    /// The start of the name in `range`, which is within `fields`.
    @inline(__always)
    init(_ fields: Span<UInt8>, _ range: Range<Int>) {
        let kept = min(range.count, 8)
        mask = kept == 8 ? .max : ~(UInt64.max &>> UInt64(kept &* 8))
        if fields.count &- range.lowerBound >= 8 {
            word = Bytes.word(fields, range.lowerBound) & mask
        } else {
            // The name is near the end of the fields.
            var bytes: UInt64 = 0
            for index in 0..<kept { bytes |= UInt64(fields[range.lowerBound &+ index]) &<< UInt64(56 &- index &* 8) }
            word = bytes
        }
    }

    /// The start of no name.
    fileprivate init() { (word, mask) = (0, 0) }
}

/// An encoded field name of up to 24 bytes, head included, as words, so that it is compared and looked up without a
/// loop.
struct FieldKey: Equatable {
    let start: KeyStart
    /// The eight bytes behind ``start`` if the name is longer than 16 bytes, otherwise 0.
    let middle: UInt64
    /// The last eight bytes, which may overlap the first; 0 if the name has at most eight.
    let last: UInt64
    let byteCount: Int

    private static let byteCountMax = 24

    /// - Returns: nil for a longer name.
    @inline(__always)
    init?(_ fields: Span<UInt8>, _ range: Range<Int>) {
        byteCount = range.count
        guard byteCount <= FieldKey.byteCountMax else { return nil }
        start = KeyStart(fields, range)
        last = byteCount > 8 ? Bytes.word(fields, range.upperBound &- 8) : 0
        middle = byteCount > 16 ? Bytes.word(fields, range.lowerBound &+ 8) : 0
    }

    /// A key that equals that of no name.
    static let none = FieldKey()

    private init() {
        start = KeyStart()
        (middle, last, byteCount) = (0, 0, 0)
    }

    /// The masks are not compared: keys of one length have the same mask.
    @inline(__always)
    static func == (left: FieldKey, right: FieldKey) -> Bool {
        left.start.word == right.start.word && left.last == right.last && left.middle == right.middle
            && left.byteCount == right.byteCount
    }

    /// True when the name stands at `offset`. May be false for a name in the last eight bytes of `cells`; never true
    /// for another name.
    @inline(__always)
    func stands(in cells: Span<UInt8>, at offset: Int) -> Bool {
        guard offset >= 0, cells.count &- offset >= max(byteCount, 8) else { return false }
        guard Bytes.word(cells, offset) & start.mask == start.word else { return false }
        guard byteCount > 8 else { return true }
        guard Bytes.word(cells, offset &+ byteCount &- 8) == last else { return false }
        return byteCount <= 16 || Bytes.word(cells, offset &+ 8) == middle
    }
}
