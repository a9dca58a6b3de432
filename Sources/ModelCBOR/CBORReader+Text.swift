extension CBORReader {
    /// True when the bytes in `range` are well-formed UTF-8. ASCII is checked eight bytes at a time.
    @usableFromInline func isUTF8(_ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        let raw = unsafe bytes.bytes
        while range.upperBound &- index >= 8 {
            // In bounds: index + 8 <= range.upperBound <= bytes.count.
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return isMultibyteUTF8(index..<range.upperBound) }
            index &+= 8
        }
        while index < range.upperBound {
            if bytes[index] >= 0x80 { return isMultibyteUTF8(index..<range.upperBound) }
            index &+= 1
        }
        return true
    }

    private func isMultibyteUTF8(_ range: Range<Int>) -> Bool {
        (try? UTF8Span(validating: bytes.extracting(range))) != nil
    }

    /// The text in `range`, which a read method of this reader returned.
    public func string(_ range: Range<Int>) -> String {
        guard let text = try? UTF8Span(validating: bytes.extracting(range)) else { return "" }
        return String(copying: text)
    }
}
