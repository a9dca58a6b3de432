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

extension CBORReader {
    /// Passes over a pair of a map whose key is a text of 1 to 23 ASCII bytes that stands after `previous`, and whose
    /// value is of the usual shape (``UsualItem``).
    /// - Parameter previous: the key of the pair before, which this reader has passed; empty for the first.
    /// - Returns: where the key stands, head included; nil for any other pair: the reader has not moved then.
    @_lifetime(self: copy self)
    @inlinable @inline(__always)
    public mutating func skipUsualPair(after previous: Range<Int>) -> Range<Int>? {
        let start = offset
        // Both items and what words read past them are there.
        guard bytes.count &- start >= UsualItem.byteCountMax &+ UsualItem.readByteCountMax else { return nil }
        let head = UsualItem.byte(bytes, start)
        let count = Int(head) &- 0x60
        guard count > 0, count < 24, UsualItem.isASCII(bytes, start &+ 1, count) else { return nil }
        let keyEnd = start &+ 1 &+ count
        if !previous.isEmpty {
            // The heads tell the lengths, so they often decide, and with them the next seven bytes.
            let (before, this) = (UsualItem.word(bytes, previous.lowerBound), UsualItem.word(bytes, start))
            if before &>> 56 == this &>> 56 {
                let isAfter = count >= 7 && before != this ? before < this : compareBytes(previous, start..<keyEnd) < 0
                guard isAfter else { return nil }
            } else if before > this {
                return nil
            }
        }
        guard let end = UsualItem.end(ofValueAt: keyEnd, in: bytes) else { return nil }
        offset = end
        return start..<keyEnd
    }
}
