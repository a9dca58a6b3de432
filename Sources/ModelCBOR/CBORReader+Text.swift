extension CBORReader {
    /// True when the bytes in `range` are well-formed UTF-8. ASCII is checked eight bytes at a time.
    /// - Parameter range: within ``bytes``.
    @inlinable public func isUTF8(_ range: Range<Int>) -> Bool {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range past the input")
        if range.count >= 8 { return isLongUTF8(range) }
        if range.isEmpty { return true }
        guard bytes.count &- range.lowerBound >= 8 else { return isLongUTF8(range) }
        // In bounds: eight bytes follow. Only the first `range.count` matter, the low ones of the word.
        let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: range.lowerBound, as: UInt64.self)
        let mask = ~(UInt64.max &<< UInt64(range.count &* 8))
        if UInt64(littleEndian: word) & mask & 0x8080_8080_8080_8080 == 0 { return true }
        return isMultibyteUTF8(range)
    }

    @usableFromInline func isLongUTF8(_ range: Range<Int>) -> Bool {
        let raw = unsafe bytes.bytes
        var index = range.lowerBound
        var seen: UInt64 = 0
        while range.upperBound &- index >= 8 {
            // In bounds: index + 8 <= range.upperBound <= bytes.count.
            seen |= unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        if range.count >= 8 {
            // In bounds: the last eight bytes of the range, of which some were seen already.
            seen |= unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: range.upperBound &- 8, as: UInt64.self)
        } else {
            while index < range.upperBound {
                seen |= UInt64(bytes[index])
                index &+= 1
            }
        }
        if seen & 0x8080_8080_8080_8080 == 0 { return true }
        return isMultibyteUTF8(range)
    }

    @usableFromInline func isMultibyteUTF8(_ range: Range<Int>) -> Bool {
        (try? UTF8Span(validating: bytes.extracting(range))) != nil
    }

    /// The text in `range`, which a read method of this reader returned.
    public func string(_ range: Range<Int>) -> String {
        guard let text = try? UTF8Span(validating: bytes.extracting(range)) else { return "" }
        return String(copying: text)
    }
}
