extension CBORReader {
    /// Passes over one item that is already known to be valid and of definite length: no UTF-8 check, no order check.
    ///
    /// Bounds are still checked; bytes that are not what the caller promised end in a trap, not in a wild read.
    @_lifetime(self: copy self)
    @inlinable public mutating func skipValidItem() {
        let initial = bytes[offset]
        let information = initial & 0x1F
        if initial < 0x60 || initial >= 0xE0 || (initial >= 0x60 && initial < 0x80) {
            // Integers, strings and simple values: the head tells the size.
            let isString = initial >= 0x40 && initial < 0x80
            if information < 24 {
                offset &+= 1 &+ (isString ? Int(information) : 0)
                return
            }
            let width = 1 &<< Int(information & 3)
            if isString {
                let length = validArgument(width: width)
                offset &+= 1 &+ width &+ length
            } else {
                offset &+= 1 &+ width
            }
            return
        }
        skipValidContainer(initial)
    }

    /// The argument of the head at ``offset``, whose argument takes `width` bytes.
    @inlinable func validArgument(width: Int) -> Int {
        var argument: UInt64 = 0
        for index in 1...width { argument = argument << 8 | UInt64(bytes[offset &+ index]) }
        return Int(argument)
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func skipValidContainer(_ initial: UInt8) {
        let information = initial & 0x1F
        let width = information < 24 ? 0 : 1 &<< Int(information & 3)
        if initial >> 5 == CBORMajor.tag.rawValue {
            // The argument, which may be any 64 bits, does not matter: a tag has one item as content.
            offset &+= 1 &+ width
            return skipValidItem()
        }
        let count = information < 24 ? Int(information) : validArgument(width: width)
        offset &+= 1 &+ width
        let items = initial >> 5 == CBORMajor.map.rawValue ? count * 2 : count
        for _ in 0..<items { skipValidItem() }
    }

    /// Passes over one text that is known to be valid.
    /// - Returns: the range of its content, without the head.
    @_lifetime(self: copy self)
    @inlinable public mutating func skipValidText() -> Range<Int> {
        let information = bytes[offset] & 0x1F
        let start: Int
        let length: Int
        if information < 24 {
            start = offset &+ 1
            length = Int(information)
        } else {
            let width = 1 &<< Int(information & 3)
            length = validArgument(width: width)
            start = offset &+ 1 &+ width
        }
        offset = start &+ length
        return start..<offset
    }

    /// Reads an unsigned integer that is known to be valid.
    @_lifetime(self: copy self)
    @inlinable public mutating func readValidUnsigned() -> UInt64 {
        let initial = bytes[offset]
        let information = initial & 0x1F
        if information == 27 {
            precondition(bytes.count &- offset >= 9, "an encoded integer ends past its record")
            let start = offset &+ 1
            offset &+= 9
            // In bounds: start + 8 <= count was just checked.
            let raw = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)
            return UInt64(bigEndian: raw)
        }
        if information < 24 {
            offset &+= 1
            return UInt64(information)
        }
        let width = 1 &<< Int(information & 3)
        let argument = validArgument(width: width)
        offset &+= 1 &+ width
        return UInt64(argument)
    }

    /// Reads the head of an array or map that is known to be valid and of definite length.
    @_lifetime(self: copy self)
    @inlinable public mutating func readValidCount() -> Int {
        let information = bytes[offset] & 0x1F
        if information < 24 {
            offset &+= 1
            return Int(information)
        }
        let width = 1 &<< Int(information & 3)
        let count = validArgument(width: width)
        offset &+= 1 &+ width
        return count
    }
}
