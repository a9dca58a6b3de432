import ModelCBOR

/// A version where it stands in encoded bytes: the stamp, and the range of the origin's name.
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

/// Comparisons of byte ranges.
enum Bytes {
    /// Bytewise lexicographic order: negative, zero or positive.
    static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let common = min(left.count, right.count)
        var index = 0
        while common &- index >= 8 {
            let (a, b) = (word(left, index), word(right, index))
            if a != b { return a < b ? -1 : 1 }
            index &+= 8
        }
        while index < common {
            if left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
            index &+= 1
        }
        return left.count &- right.count
    }

    /// Eight bytes from `index` on, which the caller has checked to be there, as they would be compared.
    @inline(__always)
    static func word(_ span: Span<UInt8>, _ index: Int) -> UInt64 {
        unsafe UInt64(bigEndian: span.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    }

    /// Four bytes from `index` on, which the caller has checked to be there, to be compared for equality.
    @inline(__always)
    private static func half(_ span: Span<UInt8>, _ index: Int) -> UInt32 {
        unsafe span.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)
    }

    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        left.count == right.count && areEqual(left, 0, right, 0, count: left.count)
    }

    /// Equality of `count` bytes from an offset on, which the caller has checked to be there on both sides.
    @inline(__always)
    static func areEqual(
        _ left: Span<UInt8>, _ leftStart: Int, _ right: Span<UInt8>, _ rightStart: Int, count: Int
    ) -> Bool {
        var index = 0
        guard count >= 8 else {
            if count >= 4 {
                // The first four and the last four, of which some may be the same: the name of an origin, mostly.
                return half(left, leftStart) == half(right, rightStart)
                    && half(left, leftStart &+ count &- 4) == half(right, rightStart &+ count &- 4)
            }
            while index < count {
                if left[leftStart &+ index] != right[rightStart &+ index] { return false }
                index &+= 1
            }
            return true
        }
        while count &- index > 8 {
            if word(left, leftStart &+ index) != word(right, rightStart &+ index) { return false }
            index &+= 8
        }
        // The last eight bytes, of which some were compared already.
        return word(left, leftStart &+ count &- 8) == word(right, rightStart &+ count &- 8)
    }
}
