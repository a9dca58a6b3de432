extension CBORReader {
    /// Passes over a pair of a map whose key is a text of 1 to 23 ASCII bytes that stands after `previous`, and whose
    /// value is of the usual shape (``UsualItem``).
    /// - Parameter previous: the range of the previous key in ``bytes``, head included; empty for the first pair.
    /// - Returns: the range of the key, head included; nil for any other pair, and the reader has not moved.
    @_lifetime(self: copy self)
    @inlinable @inline(__always)
    public mutating func skipUsualPair(after previous: Range<Int>) -> Range<Int>? {
        let start = offset
        // Room for both items, and for the word reads that reach past them.
        guard bytes.count &- start >= UsualItem.byteCountMax &+ UsualItem.readByteCountMax else { return nil }
        let head = UsualItem.byte(bytes, start)
        let count = Int(head) &- 0x60
        guard count > 0, count < 24, UsualItem.isASCII(bytes, start &+ 1, count) else { return nil }
        let keyEnd = start &+ 1 &+ count
        if !previous.isEmpty {
            // The first eight bytes of each key, head included, often decide.
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
