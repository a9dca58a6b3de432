/// Items of the shape that nearly all names and values have, checked by words instead of byte by byte.
///
/// What is passed over here is exactly what the reader's other methods accept as deterministic; anything else is left
/// to them. Each method says how many bytes must be there, and looks at none beyond.
public enum UsualItem {
    /// A text of up to 23 bytes takes so many, head included; so does any value that ``end(ofValueAt:in:)`` accepts.
    public static let byteCountMax = 24

    /// What must be there from an item of that size on, as words may reach past its end.
    public static let readByteCountMax = byteCountMax + 8

    /// Where a value ends that is a string of up to 23 bytes, if text of ASCII only, an integer of up to 32 bits, a
    /// bool, null or undefined; nil for any other. There are ``readByteCountMax`` bytes from `offset` on.
    @inlinable @inline(__always)
    public static func end(ofValueAt offset: Int, in bytes: Span<UInt8>) -> Int? {
        let head = byte(bytes, offset)
        let low = Int(head & 0x1F)
        switch head {
        case 0x60..<0x78: return isASCII(bytes, offset &+ 1, low) ? offset &+ 1 &+ low : nil
        case 0x00..<0x18, 0x20..<0x38, 0xF4...0xF7: return offset &+ 1
        case 0x40..<0x58: return offset &+ 1 &+ low
        // The shortest form only.
        case 0x18, 0x38: return byte(bytes, offset &+ 1) >= 24 ? offset &+ 2 : nil
        case 0x19, 0x39: return byte(bytes, offset &+ 1) != 0 ? offset &+ 3 : nil
        case 0x1A, 0x3A:
            return byte(bytes, offset &+ 1) | byte(bytes, offset &+ 2) != 0 ? offset &+ 5 : nil
        default: return nil
        }
    }

    /// No byte of fewer than 24 is above 0x7F. There are 24 from `offset` on.
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

    /// A byte that is known to be there.
    @inlinable @inline(__always)
    public static func byte(_ bytes: Span<UInt8>, _ offset: Int) -> UInt8 { unsafe bytes[unchecked: offset] }

    /// Eight bytes that are known to be there, the first the highest.
    @inlinable @inline(__always)
    static func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
}
