import ModelRecord

extension JSONReader {
    /// Reads a string, from its opening quote on.
    @_lifetime(self: copy self)
    package mutating func text() throws(JSONError) -> String {
        let start = offset &+ 1
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                offset = index &+ 1
                return try string(start..<index)
            }
            if byte == UInt8(ascii: "\\") { return try escapedText(start) }
            guard byte >= 0x20 else { throw JSONError("a control character in a string is not escaped", at: index) }
            index &+= 1
        }
        throw JSONError("the line ends inside a string")
    }

    /// The text of a part of the input.
    package func string(_ range: Range<Int>) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw JSONError("a string is not valid UTF-8", at: range.lowerBound)
        }
    }

    /// Reads a string with escapes, from behind its opening quote on.
    @_lifetime(self: copy self)
    private mutating func escapedText(_ start: Int) throws(JSONError) -> String {
        var content: [UInt8] = []
        offset = start
        while offset < bytes.count {
            let byte = bytes[offset]
            offset &+= 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw JSONError("a string is not valid UTF-8", at: start)
                }
                return text
            case UInt8(ascii: "\\"): try escape(into: &content)
            case 0..<0x20: throw JSONError("a control character in a string is not escaped", at: offset - 1)
            default: content.append(byte)
            }
        }
        throw JSONError("the line ends inside a string")
    }

    /// Reads what stands behind a backslash.
    @_lifetime(self: copy self)
    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        guard offset < bytes.count else { throw JSONError("the line ends inside a string") }
        let byte = bytes[offset]
        offset &+= 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content.append(contentsOf: Character(try scalar()).utf8)
        default: throw JSONError("no escape begins with this character", at: offset - 1)
        }
    }

    /// Reads the digits behind `\u`, and the second half of a surrogate pair.
    @_lifetime(self: copy self)
    private mutating func scalar() throws(JSONError) -> UnicodeScalar {
        let start = offset
        let first = try hexadecimal()
        if let scalar = UnicodeScalar(first) { return scalar }
        guard first < 0xDC00, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        else { throw JSONError("half of a surrogate pair", at: start) }
        offset &+= 2
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = UnicodeScalar(0x10000 + (UInt32(first - 0xD800) << 10) + UInt32(second - 0xDC00))
        else { throw JSONError("half of a surrogate pair", at: start) }
        return scalar
    }

    @_lifetime(self: copy self)
    private mutating func hexadecimal() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard offset < bytes.count, let digit = Character(UnicodeScalar(bytes[offset])).hexDigitValue else {
                throw JSONError("expected four hexadecimal digits", at: offset)
            }
            value = value << 4 | UInt16(digit)
            offset &+= 1
        }
        return value
    }
}
