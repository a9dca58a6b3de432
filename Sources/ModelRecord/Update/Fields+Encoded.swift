import ModelCBOR

extension Fields {
    /// The pairs as they travel; nil where a value is nested, which is for the caller to check and encode.
    package var encoded: EncodedFields? {
        isEncoded ? EncodedFields(bytes: encodedBytes, count: count) : nil
    }

    /// The pairs as they travel, lent; nothing where ``isEncoded`` is false.
    package var encodedSpan: Span<UInt8> {
        @_lifetime(borrow self)
        get { encodedBytes.span }
    }

    /// The pairs are kept as they travel: no value is nested.
    package var isEncoded: Bool { nested == nil }

    /// The sizes of what ``encoded`` holds.
    package var encodedSizes: FieldSizes { sizes }

    /// Writes behind the encoded pairs.
    private var writer: CBORWriter {
        @inline(__always)
        get { CBORWriter(continuing: encodedBytes) }
        @inline(__always)
        _modify {
            var writer = CBORWriter(continuing: encodedBytes)
            // One owner at a time, lest the bytes are copied.
            encodedBytes = []
            defer { encodedBytes = writer.bytes }
            yield &writer
        }
    }

    /// Appends an encoded pair behind all others; it may have to be brought to its place by ``settle(_:)``.
    /// - Returns: where the name stands; nil for a nested value: nothing has been appended then.
    @inline(__always)
    mutating func append(_ field: String, _ value: Value) -> Range<Int>? {
        let start = encodedBytes.count
        let nameByteCount = field.utf8.count
        switch value {
        case .text(let text):
            // The capacity is that of both texts and their heads.
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
        count += 1
        return name
    }

    /// The name in the first range stands before that in the second, or is none.
    @inline(__always)
    func isOrdered(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        if left.count != right.count { return left.count < right.count }
        let bytes = encodedBytes.span
        return Bytes.compare(bytes.extracting(left), bytes.extracting(right)) < 0
    }

    /// Where the name of the last pair stands.
    var lastName: Range<Int> {
        var reader = CBORReader(encodedBytes.span)
        var name = 0..<0
        while !reader.isAtEnd {
            name = reader.skipValidText()
            reader.skipValidItem()
        }
        return name
    }

    /// Brings the last pair, which begins at `start`, to its place; it takes that of an earlier one of its name.
    mutating func settle(_ start: Int) {
        var reader = CBORReader(encodedBytes.span, at: start)
        let name = reader.skipValidText()
        let place = self.place(of: encodedBytes.span.extracting(name), before: start)
        if place.isFound {
            encodedBytes.removeSubrange(place.start..<place.end)
            count -= 1
        }
        let start = start - (place.isFound ? place.end - place.start : 0)
        guard place.start < start else { return }
        unsafe encodedBytes.withUnsafeMutableBufferPointer { bytes in
            let pairByteCount = bytes.count - start
            // All ranges end within the bytes: the place stands before the pair, and the pair ends them.
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: pairByteCount) { pair in
                _ = unsafe pair.update(fromContentsOf: bytes[start...])
                let moved = unsafe UnsafeMutableBufferPointer(rebasing: bytes[(place.start + pairByteCount)...])
                _ = unsafe moved.update(fromContentsOf: bytes[place.start..<start])
                _ = unsafe bytes[place.start...].update(fromContentsOf: pair)
            }
        }
    }

    /// Where a field stands among the encoded pairs, or would stand.
    struct Place {
        var start: Int
        var value: Int
        var end: Int
        var isFound: Bool
    }

    /// Looks for a field among the pairs before `end`.
    ///
    /// Names are bytes: two spellings of one character that Unicode calls equal are two fields.
    func place(of name: Span<UInt8>, before end: Int) -> Place {
        let bytes = encodedBytes.span
        var reader = CBORReader(bytes)
        while reader.offset < end {
            let start = reader.offset
            let key = reader.skipValidText()
            let value = reader.offset
            reader.skipValidItem()
            if key.count < name.count { continue }
            let order = key.count > name.count ? 1 : Bytes.compare(bytes.extracting(key), name)
            if order >= 0 { return Place(start: start, value: value, end: reader.offset, isFound: order == 0) }
        }
        return Place(start: end, value: end, end: end, isFound: false)
    }
}

/// Bounds of the names and values of encoded fields, so that one look tells whether all are within their limits.
///
/// They never shrink: what was taken out may still count.
package struct FieldSizes: Sendable {
    /// The shortest name; no name is longer than this when there is none.
    package private(set) var nameByteCountMin = Int.max
    package private(set) var nameByteCountMax = 0
    /// The largest encoded value.
    package private(set) var valueByteCountMax = 0

    @inline(__always)
    mutating func note(name: Int, value: Int) {
        nameByteCountMin = min(nameByteCountMin, name)
        nameByteCountMax = max(nameByteCountMax, name)
        valueByteCountMax = max(valueByteCountMax, value)
    }
}
