import ModelCBOR

/// A version in encoded bytes: the stamp, and the range of the origin's name.
struct VersionSlice {
    var stamp: Stamp
    var origin: Range<Int>

    /// Reads `null` or `[stamp, origin]` from bytes that are known to be valid.
    init?(reading reader: inout CBORReader) {
        if reader.readNull() { return nil }
        reader.offset &+= 1  // The head of an array of two.
        self.init(cellTail: &reader)
    }

    /// Reads `stamp, origin`, the end of a cell.
    init(cellTail reader: inout CBORReader) {
        stamp = reader.readValidUnsigned()
        origin = reader.skipValidText()
    }

    /// The version as a value of its own.
    func version(in bytes: Span<UInt8>) -> Version {
        Version(stamp: stamp, origin: CBORReader(bytes).string(origin))
    }
}

/// A version of either side of a merge, comparable without making a string.
struct VersionView: ~Escapable {
    var stamp: Stamp
    var origin: Span<UInt8>

    @_lifetime(copy origin)
    init(stamp: Stamp, origin: Span<UInt8>) {
        self.stamp = stamp
        self.origin = origin
    }

    @_lifetime(copy bytes)
    init(_ slice: VersionSlice, in bytes: Span<UInt8>) {
        stamp = slice.stamp
        origin = bytes.extracting(slice.origin)
    }

    /// Negative, zero or positive, as this version is below, equal to or above `other`.
    func compare(_ other: borrowing VersionView) -> Int {
        if stamp != other.stamp { return stamp < other.stamp ? -1 : 1 }
        return Bytes.compare(origin, other.origin)
    }
}
