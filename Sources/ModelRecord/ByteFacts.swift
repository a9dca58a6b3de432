/// What is to be known of the bytes of an id before it is accepted, found eight bytes at a time: every write and every
/// update that comes in asks for it.
package struct ByteFacts {
    /// Some byte is 0.
    package private(set) var hasNUL = false
    /// Some byte is above 0x7F: whether it is UTF-8 has to be looked at.
    package private(set) var hasHighBit = false

    /// The facts of the bytes in `range`, which is within `bytes`.
    @inline(__always)
    package init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range past the input")
        let raw = unsafe bytes.bytes
        var index = range.lowerBound
        var zeros: UInt64 = 0
        var highs: UInt64 = 0
        while range.upperBound &- index >= 8 {
            // In bounds: index + 8 <= range.upperBound <= bytes.count.
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            // The lowest byte that is 0 becomes 0xFF, so its highest bit is set; a borrow reaches only bytes above one.
            zeros |= (word &- 0x0101_0101_0101_0101) & ~word
            highs |= word
            index &+= 8
        }
        hasNUL = zeros & 0x8080_8080_8080_8080 != 0
        hasHighBit = highs & 0x8080_8080_8080_8080 != 0
        while index < range.upperBound {
            hasNUL = hasNUL || bytes[index] == 0
            hasHighBit = hasHighBit || bytes[index] >= 0x80
            index &+= 1
        }
    }
}
