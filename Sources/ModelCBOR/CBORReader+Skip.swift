extension CBORReader {
    /// Passes over one item of any kind and checks that it is well-formed and valid (RFC 8949, section 5.3):
    /// lengths, UTF-8, reserved values, no key twice in a map.
    ///
    /// Duplicate keys are found here only in maps whose keys ascend. A map in another order clears ``isDeterministic``;
    /// ``CBORWriter/writeCanonical(_:maxDepth:)`` finds its duplicates.
    /// - Parameter maxDepth: how many arrays, maps and tags may be nested; 0 accepts scalars only.
    /// - Complexity: O(*bytes*), no allocation; recursion is bounded by `maxDepth`.
    @_lifetime(self: copy self)
    @inlinable public mutating func skipItem(maxDepth: Int) throws(CBORError) {
        // The common small scalars, without a call.
        if offset < bytes.count {
            let initial = bytes[offset]
            if initial < 0x18 || (initial >= 0x20 && initial < 0x38) || (initial >= 0xF4 && initial <= 0xF7) {
                offset &+= 1
                return
            }
        }
        try skipLongItem(maxDepth: maxDepth)
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func skipLongItem(maxDepth: Int) throws(CBORError) {
        let start = offset
        let head = try readHead()
        switch head.major {
        case .unsigned, .negative:
            break
        case .bytes, .text:
            try skipString(head, at: start)
        case .array:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            try skipElements(head, maxDepth: maxDepth - 1)
        case .map:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            try skipPairs(head, maxDepth: maxDepth - 1)
        case .tag:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            try skipItem(maxDepth: maxDepth - 1)
        case .simple:
            guard !head.isIndefinite else { throw CBORError(.reserved, at: start) }
            if head.information >= 25, !CBORFloat.isShortest(head) { isDeterministic = false }
        }
    }

    @_lifetime(self: copy self)
    mutating func skipString(_ head: CBORHead, at start: Int) throws(CBORError) {
        guard head.isIndefinite else {
            guard head.argument <= UInt64(bytes.count &- offset) else {
                throw CBORError(.truncated, at: bytes.count)
            }
            let end = offset &+ Int(head.argument)
            if head.major == .text, !isUTF8(offset..<end) { throw CBORError(.invalidUTF8, at: start) }
            offset = end
            return
        }
        while !readBreak() {
            let chunkStart = offset
            let chunk = try readHead()
            guard chunk.major == head.major, !chunk.isIndefinite else {
                throw CBORError(.reserved, at: chunkStart)
            }
            try skipString(chunk, at: chunkStart)
        }
    }

    @_lifetime(self: copy self)
    mutating func skipElements(_ head: CBORHead, maxDepth: Int) throws(CBORError) {
        guard !head.isIndefinite else {
            while !readBreak() { try skipItem(maxDepth: maxDepth) }
            return
        }
        guard head.argument <= UInt64(bytes.count &- offset) else { throw CBORError(.truncated, at: bytes.count) }
        for _ in 0..<Int(head.argument) { try skipItem(maxDepth: maxDepth) }
    }

    @_lifetime(self: copy self)
    mutating func skipPairs(_ head: CBORHead, maxDepth: Int) throws(CBORError) {
        if !head.isIndefinite, head.argument > UInt64((bytes.count &- offset) / 2) {
            throw CBORError(.truncated, at: bytes.count)
        }
        var remaining = head.isIndefinite ? Int.max : Int(head.argument)
        var previous = offset..<offset
        while remaining > 0 {
            if head.isIndefinite, readBreak() { return }
            let keyStart = offset
            try skipItem(maxDepth: maxDepth)
            let key = keyStart..<offset
            try checkOrder(of: key, after: previous)
            previous = key
            try skipItem(maxDepth: maxDepth)
            remaining -= 1
        }
    }

    /// Notes whether the encoded key in `key` stands after the one in `previous`; equal keys are an error.
    /// An empty `previous` stands before every key.
    @_lifetime(self: copy self)
    @inlinable public mutating func checkOrder(
        of key: Range<Int>, after previous: Range<Int>
    ) throws(CBORError) {
        // The first byte tells the length of a short key, so it often decides.
        if previous.isEmpty || bytes[previous.lowerBound] < bytes[key.lowerBound] { return }
        let order = compareBytes(previous, key)
        if order < 0 { return }
        guard order != 0 else { throw CBORError(.duplicateKey, at: key.lowerBound) }
        isDeterministic = false
    }

    /// Bytewise lexicographic order of two ranges of the input: negative, zero or positive.
    public func compareBytes(_ left: Range<Int>, _ right: Range<Int>) -> Int {
        let common = min(left.count, right.count)
        var index = 0
        while index < common {
            let a = bytes[left.lowerBound &+ index]
            let b = bytes[right.lowerBound &+ index]
            if a != b { return a < b ? -1 : 1 }
            index &+= 1
        }
        return left.count &- right.count
    }
}
