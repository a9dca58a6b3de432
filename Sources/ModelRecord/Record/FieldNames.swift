/// A small cache of field names of recent updates: the hash of each, and the number of its cell in the last record.
///
/// Updates of a type repeat their fields, and most records of a type hold a field in the same cell. A cell number is a
/// guess that saves a search, so a wrong one does no harm: names share places by their hash, and a new name replaces
/// the one before.
///
/// Safe to use: the pointer is private, every index is cut to `0..<count`, and there are no copies.
@safe struct FieldNames: ~Copyable {
    private struct Name {
        var key = FieldKey.none
        var hash: UInt64 = 0
        var cell = 0
    }

    private let names: UnsafeMutablePointer<Name>
    private static let count = 64

    init() {
        unsafe names = .allocate(capacity: FieldNames.count)
        unsafe names.initialize(repeating: Name(), count: FieldNames.count)
    }

    deinit { unsafe names.deallocate() }

    /// The place of a name in the cache. The name replaces another one there.
    /// - Parameter range: the encoded name in `fields`, of which `key` was made.
    @inline(__always)
    func place(of key: FieldKey, _ fields: Span<UInt8>, _ range: Range<Int>) -> Int {
        let mixed = (key.start.word ^ key.last &* 0x9E37_79B9_7F4A_7C15 ^ key.middle) &* 0xBF58_476D_1CE4_E5B9
        let place = Int(truncatingIfNeeded: mixed &>> 58) & (FieldNames.count &- 1)
        let name = unsafe names + place
        if unsafe name.pointee.key != key {
            unsafe name.pointee = Name(key: key, hash: CellScan.nameHash(fields, key: range))
        }
        return place
    }

    /// FNV-1a of the name at `place`.
    @inline(__always)
    func hash(at place: Int) -> UInt64 { unsafe names[place & (FieldNames.count &- 1)].hash }

    /// The number of the cell that was found last for the name at `place`.
    @inline(__always)
    func cell(at place: Int) -> Int { unsafe names[place & (FieldNames.count &- 1)].cell }

    /// Notes the cell that was found for the name at `place`.
    @inline(__always)
    func note(cell: Int, at place: Int) { unsafe names[place & (FieldNames.count &- 1)].cell = cell }
}
