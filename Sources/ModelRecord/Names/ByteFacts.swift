/// Two facts about the bytes of an id, found eight bytes at a time: every write and every incoming update asks for them
/// before the id is accepted.
package struct ByteFacts {
    /// True when some byte is 0.
    package let hasNUL: Bool
    /// True when some byte is above 0x7F: the UTF-8 of the bytes has to be checked.
    package let hasHighBit: Bool

    /// The facts of the bytes in `range`, which is within `bytes`.
    @inlinable @inline(__always)
    package init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range past the input")
        let raw = unsafe bytes.bytes
        var index = range.lowerBound
        var zeros: UInt64 = 0
        var highs: UInt64 = 0
        let isLong = range.upperBound &- index >= 8
        while isLong, index < range.upperBound {
            // The last word may overlap the one before.
            index = min(index, range.upperBound &- 8)
            // In bounds: index + 8 <= range.upperBound <= bytes.count.
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            // The lowest byte that is 0 becomes 0xFF, so its highest bit is set; a borrow reaches only bytes above one.
            zeros |= (word &- 0x0101_0101_0101_0101) & ~word
            highs |= word
            index &+= 8
        }
        var nul = zeros & 0x8080_8080_8080_8080 != 0
        while index < range.upperBound {
            nul = nul || bytes[index] == 0
            highs |= UInt64(bytes[index])
            index &+= 1
        }
        hasNUL = nul
        hasHighBit = highs & 0x8080_8080_8080_8080 != 0
    }
}
