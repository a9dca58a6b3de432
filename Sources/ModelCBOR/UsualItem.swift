/// Checks of items of the shape that nearly all names and values have, by words instead of byte by byte.
///
/// These methods accept only what the methods of ``CBORReader`` accept as deterministic, and leave anything else to
/// them. Each method says how many bytes the caller guarantees, and reads none beyond.
public enum UsualItem {
    /// The size of the longest usual item, head included: a string of 23 bytes.
    public static let byteCountMax = 24

    /// How many bytes must be readable from the start of an item on, as words may reach past its end.
    public static let readByteCountMax = byteCountMax + 8

    /// The end of a usual value: a string of up to 23 bytes (a text must be ASCII), an integer of up to 32 bits, a
    /// bool, null or undefined. Nil for any other value.
    ///
    /// The caller guarantees ``readByteCountMax`` bytes from `offset` on.
    @inlinable @inline(__always)
    public static func end(ofValueAt offset: Int, in bytes: Span<UInt8>) -> Int? {
        let head = byte(bytes, offset)
        let low = Int(head & 0x1F)
        switch head {
        case 0x60..<0x78: return isASCII(bytes, offset &+ 1, low) ? offset &+ 1 &+ low : nil
        case 0x00..<0x18, 0x20..<0x38, 0xF4...0xF7: return offset &+ 1
        case 0x40..<0x58: return offset &+ 1 &+ low
        // An integer counts only in its shortest form.
        case 0x18, 0x38: return byte(bytes, offset &+ 1) >= 24 ? offset &+ 2 : nil
        case 0x19, 0x39: return byte(bytes, offset &+ 1) != 0 ? offset &+ 3 : nil
        case 0x1A, 0x3A:
            return byte(bytes, offset &+ 1) | byte(bytes, offset &+ 2) != 0 ? offset &+ 5 : nil
        default: return nil
        }
    }

    /// True when `count` bytes from `offset` on, at most 23, are ASCII. The caller guarantees 24 bytes from `offset`
    /// on.
    @inlinable @inline(__always)
    public static func isASCII(_ bytes: Span<UInt8>, _ offset: Int, _ count: Int) -> Bool {
        var seen: UInt64 = 0
        var start = 0
        while start < count {
            let left = count &- start
            let mask: UInt64 = left >= 8 ? .max : ~(UInt64.max &>> UInt64(left &* 8))
            seen |= word(bytes, offset &+ start) & mask
            start &+= 8
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }

    /// The byte at `offset`, which the caller guarantees to be in bounds.
    @inlinable @inline(__always)
    public static func byte(_ bytes: Span<UInt8>, _ offset: Int) -> UInt8 { unsafe bytes[unchecked: offset] }

    /// The eight bytes from `offset` on, big-endian; the caller guarantees them to be in bounds.
    @inlinable @inline(__always)
    static func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
}
