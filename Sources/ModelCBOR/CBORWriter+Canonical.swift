extension CBORWriter {
    /// Copies the next item of `reader` in the core deterministic encoding: shortest heads, definite lengths,
    /// map keys in order, shortest floats.
    /// - Throws: ``CBORError``; also ``CBORError/Code/duplicateKey`` for a map that holds one key twice.
    /// - Complexity: O(*n* log *n*) in the number of pairs of a map.
    public mutating func writeCanonical(_ reader: inout CBORReader, maxDepth: Int) throws(CBORError) {
        let start = reader.offset
        let head = try reader.readHead()
        switch head.major {
        case .unsigned, .negative:
            writeHead(head.major, head.argument)
        case .bytes, .text:
            var content: [UInt8] = []
            reader.offset = start
            try reader.appendString(to: &content)
            writeHead(head.major, UInt64(content.count))
            bytes.append(contentsOf: content)
        case .array:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            try writeCanonicalArray(head, &reader, maxDepth: maxDepth - 1)
        case .map:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            try writeCanonicalMap(head, &reader, maxDepth: maxDepth - 1)
        case .tag:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            writeHead(.tag, head.argument)
            try writeCanonical(&reader, maxDepth: maxDepth - 1)
        case .simple:
            if let value = CBORFloat.value(of: head) {
                write(double: value)
            } else if head.isIndefinite {
                throw CBORError(.reserved, at: start)
            } else {
                writeHead(.simple, head.argument)
            }
        }
    }

    private mutating func writeCanonicalArray(
        _ head: CBORHead, _ reader: inout CBORReader, maxDepth: Int
    ) throws(CBORError) {
        var count: UInt64 = 0
        var elements = CBORWriter()
        while head.isIndefinite ? !reader.readBreak() : count < head.argument {
            try elements.writeCanonical(&reader, maxDepth: maxDepth)
            count += 1
        }
        writeHead(.array, count)
        bytes.append(contentsOf: elements.bytes)
    }

    private mutating func writeCanonicalMap(
        _ head: CBORHead, _ reader: inout CBORReader, maxDepth: Int
    ) throws(CBORError) {
        // All pairs go into one buffer, one behind the other; only their ranges are sorted.
        var content = CBORWriter()
        var pairs: [CanonicalPair] = []
        let start = reader.offset
        while head.isIndefinite ? !reader.readBreak() : UInt64(pairs.count) < head.argument {
            let keyStart = content.count
            try content.writeCanonical(&reader, maxDepth: maxDepth)
            let valueStart = content.count
            try content.writeCanonical(&reader, maxDepth: maxDepth)
            pairs.append(CanonicalPair(key: keyStart..<valueStart, end: content.count))
        }
        let encoded = content.bytes
        pairs.sort { encoded[$0.key].lexicographicallyPrecedes(encoded[$1.key]) }
        for (left, right) in zip(pairs, pairs.dropFirst()) where encoded[left.key] == encoded[right.key] {
            throw CBORError(.duplicateKey, at: start)
        }
        writeMapHead(pairs.count)
        for pair in pairs { bytes.append(contentsOf: encoded[pair.key.lowerBound..<pair.end]) }
    }
}

/// Where an encoded pair stands in a buffer: the key, then the value up to `end`.
private struct CanonicalPair {
    var key: Range<Int>
    var end: Int
}

extension CBORReader {
    /// Reads a text or byte string of definite or indefinite length and appends its content to `content`.
    @_lifetime(self: copy self)
    public mutating func appendString(to content: inout [UInt8]) throws(CBORError) {
        let start = offset
        let head = try readHead()
        guard head.major == .text || head.major == .bytes else { throw CBORError(.unexpectedType, at: start) }
        guard head.isIndefinite else {
            let first = offset
            try skipString(head, at: start)
            unsafe bytes.extracting(first..<offset).withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
            return
        }
        while !readBreak() {
            let chunkStart = offset
            let chunk = try readHead()
            guard chunk.major == head.major, !chunk.isIndefinite else {
                throw CBORError(.reserved, at: chunkStart)
            }
            offset = chunkStart
            try appendString(to: &content)
        }
    }
}
