/// A cursor over encoded CBOR (RFC 8949) that reads in place: nothing is copied, nothing is allocated.
///
/// Every method checks bounds. Any input ends in a value or a ``CBORError``, never in a trap; only the methods for
/// bytes that are known to be valid (``skipValidItem()``, ``readValidUnsigned()``) trap on others. Reading is one pass.
/// The reader remembers whether all that it passed was in the core deterministic encoding (RFC 8949, section 4.2.1;
/// floats in the shortest form that keeps their value), see ``isDeterministic``.
///
/// ```swift
/// var reader = CBORReader(bytes)
/// let count = try reader.readArrayHead()
/// ```
///
/// Unfit for building a tree of values: use `Value` of ModelRecord for that.
public struct CBORReader: ~Escapable {
    /// The input. Offsets and ranges that the methods return are into it.
    public let bytes: Span<UInt8>
    /// How many bytes have been read.
    public var offset: Int
    /// False once an item was met that a deterministic encoder would have written in other bytes.
    public var isDeterministic = true

    /// A reader of `bytes` that begins at `offset`.
    @_lifetime(copy bytes)
    @inlinable public init(_ bytes: Span<UInt8>, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// True when all bytes have been read.
    @inlinable public var isAtEnd: Bool { offset >= bytes.count }

    /// The next byte, or nil at the end; the reader does not move.
    @inlinable public var nextByte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Throws ``CBORError/Code/trailingBytes`` unless the reader is at the end.
    @inlinable public func expectEnd() throws(CBORError) {
        guard isAtEnd else { throw CBORError(.trailingBytes, at: offset) }
    }

    /// Reads the head of the next item.
    @_lifetime(self: copy self)
    @inlinable public mutating func readHead() throws(CBORError) -> CBORHead {
        guard offset < bytes.count else { throw CBORError(.truncated, at: offset) }
        let initial = bytes[offset]
        let information = initial & 0x1F
        let major = CBORMajor(initialByte: initial)
        if information < 24 {
            offset &+= 1
            return CBORHead(major: major, information: information, argument: UInt64(information))
        }
        return try readLongHead(major, information)
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func readLongHead(
        _ major: CBORMajor, _ information: UInt8
    ) throws(CBORError) -> CBORHead {
        let start = offset
        guard information < 28 else {
            let mayBeIndefinite =
                switch major {
                case .bytes, .text, .array, .map, .simple: information == 31
                case .unsigned, .negative, .tag: false
                }
            guard mayBeIndefinite else { throw CBORError(.reserved, at: start) }
            offset &+= 1
            isDeterministic = false
            return CBORHead(major: major, information: 31, argument: 0)
        }
        let width = 1 &<< Int(information &- 24)
        guard bytes.count &- start > width else { throw CBORError(.truncated, at: bytes.count) }
        var argument: UInt64 = 0
        if width == 8 {
            // In bounds: start + 1 + 8 <= count was just checked.
            let raw = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 1, as: UInt64.self)
            argument = UInt64(bigEndian: raw)
        } else {
            for index in 1...width { argument = argument << 8 | UInt64(bytes[start &+ index]) }
        }
        offset = start &+ 1 &+ width
        let head = CBORHead(major: major, information: information, argument: argument)
        if major != .simple {
            if !head.isShortest { isDeterministic = false }
        } else if information == 24, argument < 32 {
            throw CBORError(.reserved, at: start)
        }
        return head
    }

    /// Passes over a head of the major type whose bits are `high`, if its argument is below 256 and in shortest form.
    /// - Returns: the argument; nil for any other head, and the reader has not moved.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func readShortHead(_ high: UInt8) -> Int? {
        guard offset < bytes.count else { return nil }
        // In bounds: just checked. With another major type the result is 32 or more.
        let low = unsafe bytes[unchecked: offset] ^ high
        if low < 24 {
            offset &+= 1
            return Int(low)
        }
        guard low == 24, bytes.count &- offset > 1 else { return nil }
        // In bounds: just checked.
        let argument = unsafe bytes[unchecked: offset &+ 1]
        guard argument >= 24 else { return nil }
        offset &+= 2
        return Int(argument)
    }

    /// Reads the head of an array.
    /// - Returns: the number of elements, or nil for an indefinite length (ended by ``readBreak()``).
    @_lifetime(self: copy self)
    @inlinable public mutating func readArrayHead() throws(CBORError) -> Int? {
        try readCount(.array, 0x80, least: 1)
    }

    /// Reads the head of a map.
    /// - Returns: the number of pairs, or nil for an indefinite length (ended by ``readBreak()``).
    @_lifetime(self: copy self)
    @inlinable public mutating func readMapHead() throws(CBORError) -> Int? {
        try readCount(.map, 0xA0, least: 2)
    }

    /// Reads the head of an array or map. A count is refused when the input cannot hold that many elements, so the
    /// caller may reserve memory by it.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func readCount(
        _ major: CBORMajor, _ high: UInt8, least: Int
    ) throws(CBORError) -> Int? {
        let start = offset
        if let count = readShortHead(high), count <= (bytes.count &- offset) / least { return count }
        offset = start
        return try readLongCount(major, least: least)
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func readLongCount(_ major: CBORMajor, least: Int) throws(CBORError) -> Int? {
        let start = offset
        let head = try readHead()
        guard head.major == major else { throw CBORError(.unexpectedType, at: start) }
        if head.isIndefinite { return nil }
        guard head.argument <= UInt64((bytes.count &- offset) / least) else {
            throw CBORError(.truncated, at: bytes.count)
        }
        return Int(head.argument)
    }

    /// Consumes a break if one is next.
    /// - Returns: true when a break was consumed.
    @_lifetime(self: copy self)
    @inlinable public mutating func readBreak() -> Bool {
        guard nextByte == CBORConstant.breakByte else { return false }
        offset &+= 1
        return true
    }

    /// Reads an unsigned integer of up to 64 bits.
    @_lifetime(self: copy self)
    @inlinable public mutating func readUnsigned() throws(CBORError) -> UInt64 {
        if let value = readShortHead(0x00) { return UInt64(value) }
        return try readLongUnsigned()
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func readLongUnsigned() throws(CBORError) -> UInt64 {
        let start = offset
        let head = try readHead()
        guard head.major == .unsigned else { throw CBORError(.unexpectedType, at: start) }
        return head.argument
    }

    /// Reads a text of definite length and checks that it is UTF-8.
    /// - Returns: the range of its bytes in ``bytes``, without the head.
    @_lifetime(self: copy self)
    @inlinable public mutating func readText() throws(CBORError) -> Range<Int> {
        let range = try readStringRange(.text, 0x60)
        guard isUTF8(range) else { throw CBORError(.invalidUTF8, at: range.lowerBound) }
        return range
    }

    /// Reads a text of definite length without a check of its UTF-8; the caller checks it (``isUTF8(_:)``).
    /// - Returns: the range of its bytes in ``bytes``, without the head.
    @_lifetime(self: copy self)
    @inlinable public mutating func readUncheckedText() throws(CBORError) -> Range<Int> {
        try readStringRange(.text, 0x60)
    }

    /// Reads a byte string of definite length.
    /// - Returns: the range of its bytes in ``bytes``, without the head.
    @_lifetime(self: copy self)
    @inlinable public mutating func readByteString() throws(CBORError) -> Range<Int> {
        try readStringRange(.bytes, 0x40)
    }

    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func readStringRange(
        _ major: CBORMajor, _ high: UInt8
    ) throws(CBORError) -> Range<Int> {
        let start = offset
        if let length = readShortHead(high), length <= bytes.count &- offset {
            let first = offset
            offset = first &+ length
            return first..<offset
        }
        offset = start
        return try readLongStringRange(major)
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func readLongStringRange(_ major: CBORMajor) throws(CBORError) -> Range<Int> {
        let start = offset
        let head = try readHead()
        guard head.major == major, !head.isIndefinite else { throw CBORError(.unexpectedType, at: start) }
        guard head.argument <= UInt64(bytes.count &- offset) else { throw CBORError(.truncated, at: bytes.count) }
        let end = offset &+ Int(head.argument)
        let range = offset..<end
        offset = end
        return range
    }

    /// Consumes a null if one is next.
    /// - Returns: true when a null was consumed.
    @_lifetime(self: copy self)
    @inlinable public mutating func readNull() -> Bool {
        guard nextByte == CBORConstant.nullByte else { return false }
        offset &+= 1
        return true
    }
}
