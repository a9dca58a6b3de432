import ModelCBOR

/// An encoded field name of up to 24 bytes, head included, as words: compared and looked up without a loop.
struct FieldKey {
    /// The first eight bytes; a shorter name is filled up with zeros.
    let first: UInt64
    /// The eight bytes behind them, where the name is longer than 16.
    let middle: UInt64
    /// The last eight bytes, of which some may be the first.
    let last: UInt64
    /// Covers the bytes of the name within ``first``.
    let mask: UInt64
    let byteCount: Int

    static let byteCountMax = 24

    /// - Returns: nil for a longer name.
    @inline(__always)
    init?(_ fields: Span<UInt8>, _ range: Range<Int>) {
        byteCount = range.count
        guard byteCount <= FieldKey.byteCountMax else { return nil }
        mask = byteCount >= 8 ? .max : ~(UInt64.max &>> UInt64(byteCount &* 8))
        if fields.count &- range.lowerBound >= 8 {
            first = Bytes.word(fields, range.lowerBound) & mask
        } else {
            // The last pair of an update, when it is short.
            var bytes: UInt64 = 0
            for index in 0..<byteCount {
                bytes |= UInt64(fields[range.lowerBound &+ index]) &<< UInt64(56 &- index &* 8)
            }
            first = bytes
        }
        last = byteCount > 8 ? Bytes.word(fields, range.upperBound &- 8) : 0
        middle = byteCount > 16 ? Bytes.word(fields, range.lowerBound &+ 8) : 0
    }

    /// The name stands at `offset`. May be false of one in the last eight bytes; never true of another.
    @inline(__always)
    func stands(in cells: Span<UInt8>, at offset: Int) -> Bool {
        guard offset >= 0, cells.count &- offset >= max(byteCount, 8) else { return false }
        guard Bytes.word(cells, offset) & mask == first else { return false }
        guard byteCount > 8 else { return true }
        guard Bytes.word(cells, offset &+ byteCount &- 8) == last else { return false }
        return byteCount <= 16 || Bytes.word(cells, offset &+ 8) == middle
    }
}

/// The names that fields had lately: their hashes, and which cell of a record was theirs.
///
/// Updates of a type repeat their fields, and most records of a type hold a field in the same cell. What is noted here
/// is a guess that saves a search, so it has a place for each name and forgets whoever had it before.
///
/// Safe to use: the pointer is private, every place is cut to `0..<count`, and there are no copies.
@safe struct FieldNames: ~Copyable {
    private struct Name {
        var first: UInt64 = 0
        var middle: UInt64 = 0
        var last: UInt64 = 0
        var hash: UInt64 = 0
        var byteCount = 0
        var cell = 0
    }

    private let names: UnsafeMutablePointer<Name>
    private static let count = 64

    init() {
        unsafe names = .allocate(capacity: FieldNames.count)
        unsafe names.initialize(repeating: Name(), count: FieldNames.count)
    }

    deinit { unsafe names.deallocate() }

    /// The place of a name, which it has taken if it was another's.
    /// - Parameter range: where the name stands in `fields`, of which `key` was made.
    @inline(__always)
    func place(of key: FieldKey, _ fields: Span<UInt8>, _ range: Range<Int>) -> Int {
        let mixed = (key.first ^ key.last &* 0x9E37_79B9_7F4A_7C15 ^ key.middle) &* 0xBF58_476D_1CE4_E5B9
        let place = Int(truncatingIfNeeded: mixed &>> 58) & (FieldNames.count &- 1)
        let name = unsafe names + place
        if unsafe name.pointee.first == key.first && name.pointee.last == key.last
            && name.pointee.middle == key.middle && name.pointee.byteCount == key.byteCount
        {
            return place
        }
        unsafe name.pointee = Name(
            first: key.first, middle: key.middle, last: key.last, hash: CellScan.nameHash(fields, key: range),
            byteCount: key.byteCount)
        return place
    }

    /// FNV-1a of the name.
    @inline(__always)
    func hash(at place: Int) -> UInt64 { unsafe names[place & (FieldNames.count &- 1)].hash }

    /// The cell that was the name's when it was looked for last.
    @inline(__always)
    func cell(at place: Int) -> Int { unsafe names[place & (FieldNames.count &- 1)].cell }

    @inline(__always)
    func note(cell: Int, at place: Int) { unsafe names[place & (FieldNames.count &- 1)].cell = cell }
}
