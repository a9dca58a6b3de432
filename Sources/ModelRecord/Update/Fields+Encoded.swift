import ModelCBOR

extension Fields {
    /// The encoded pairs; nil when a value is nested, as the caller has to check and encode those pairs.
    package var encoded: EncodedFields? {
        isEncoded ? EncodedFields(bytes: encodedBytes, count: count, mayExpire: sizes.mayExpire) : nil
    }

    /// The encoded pairs, lent; empty when ``isEncoded`` is false.
    package var encodedSpan: Span<UInt8> {
        @_lifetime(borrow self)
        get { encodedBytes.span }
    }

    /// True when the pairs are kept encoded, because no value is nested.
    package var isEncoded: Bool { nested == nil }

    /// Bounds of the names and values in ``encoded``.
    package var encodedSizes: FieldSizes { sizes }

    /// A writer that appends behind the encoded pairs.
    private var writer: CBORWriter {
        @inline(__always)
        get { CBORWriter(continuing: encodedBytes) }
        @inline(__always)
        _modify {
            var writer = CBORWriter(continuing: encodedBytes)
            // The bytes have one owner at a time; a second one would cause a copy.
            encodedBytes = []
            defer { encodedBytes = writer.bytes }
            yield &writer
        }
    }

    /// Appends an encoded pair behind all others; ``settle(_:)`` then moves it to its place, if needed.
    /// - Returns: the range of the name; nil for a nested value, and nothing has been appended.
    @inline(__always)
    mutating func append(_ field: String, _ value: Value) -> Range<Int>? {
        let start = encodedBytes.count
        let nameByteCount = field.utf8.count
        switch value {
        case .text(let text):
            // Room for both texts and their heads.
            unsafe writer.append(upTo: nameByteCount + text.utf8.count + 2 * CBORHead.byteCountMax) { filler in
                unsafe filler.write(text: field)
                unsafe filler.write(text: text)
            }
        case .int(let number):
            unsafe writer.append(upTo: nameByteCount + 2 * CBORHead.byteCountMax) { filler in
                unsafe filler.write(text: field)
                unsafe filler.writeHead(number < 0 ? .negative : .unsigned, UInt64(number < 0 ? ~number : number))
            }
        case .array, .map, .tagged:
            return nil
        default:
            writer.write(text: field)
            writer.write(value)
        }
        let nameStart = start + CBORHead.byteCount(of: nameByteCount)
        let name = nameStart..<(nameStart + nameByteCount)
        sizes.note(name: nameByteCount, value: encodedBytes.count - name.upperBound)
        // `$expires` has eight bytes.
        if nameByteCount == 8 { sizes.noteExpiry(field) }
        count += 1
        return name
    }

    /// True when the first name is empty, or stands before the second in the order of encoded names.
    @inline(__always)
    func isOrdered(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        if left.count != right.count { return left.count < right.count }
        let bytes = encodedBytes.span
        return Bytes.compare(bytes.extracting(left), bytes.extracting(right)) < 0
    }

    /// The range of the last pair's name.
    var lastName: Range<Int> {
        var reader = CBORReader(encodedBytes.span)
        var name = 0..<0
        while !reader.isAtEnd {
            name = reader.skipValidText()
            reader.skipValidItem()
        }
        return name
    }

    /// Moves the last pair, which begins at `start`, to its place in the order. It replaces an earlier pair of the same
    /// name.
    mutating func settle(_ start: Int) {
        var reader = CBORReader(encodedBytes.span, at: start)
        let name = reader.skipValidText()
        let position = self.position(of: encodedBytes.span.extracting(name), before: start)
        if position.isFound {
            encodedBytes.removeSubrange(position.start..<position.end)
            count -= 1
        }
        let start = start - (position.isFound ? position.end - position.start : 0)
        guard position.start < start else { return }
        unsafe encodedBytes.withUnsafeMutableBufferPointer { bytes in
            let pairByteCount = bytes.count - start
            // All ranges end within the bytes: the position is before the pair, and the pair ends them.
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: pairByteCount) { pair in
                _ = unsafe pair.update(fromContentsOf: bytes[start...])
                let moved = unsafe UnsafeMutableBufferPointer(rebasing: bytes[(position.start + pairByteCount)...])
                _ = unsafe moved.update(fromContentsOf: bytes[position.start..<start])
                _ = unsafe bytes[position.start...].update(fromContentsOf: pair)
            }
        }
    }

    /// The position of a field among the encoded pairs, or the position where it would be inserted.
    struct PairPosition {
        var start: Int
        var value: Int
        var end: Int
        var isFound: Bool
    }

    /// Looks for a field among the pairs before `end`.
    ///
    /// Names are compared as bytes: two spellings of a character that Unicode treats as equal are two fields.
    func position(of name: Span<UInt8>, before end: Int) -> PairPosition {
        let bytes = encodedBytes.span
        var reader = CBORReader(bytes)
        while reader.offset < end {
            let start = reader.offset
            let key = reader.skipValidText()
            let value = reader.offset
            reader.skipValidItem()
            if key.count < name.count { continue }
            let order = key.count > name.count ? 1 : Bytes.compare(bytes.extracting(key), name)
            if order >= 0 { return PairPosition(start: start, value: value, end: reader.offset, isFound: order == 0) }
        }
        return PairPosition(start: end, value: end, end: end, isFound: false)
    }
}
