/// Why a text is no JSON.
struct JSONSyntaxError: Error, Hashable {
    let reason: String
    /// The line and column of the fault, the first being 1; columns are counted in bytes.
    let line: Int
    let column: Int
}

/// A text of JSON, read, and where each of its values stands.
struct ParsedJSON {
    let value: JSON
    /// The offsets in bytes: of a member that of its key. By JSON pointers.
    let offsets: [JSONPointer: Int]
}

/// A strict reader of JSON (RFC 8259): a key stands once in an object.
struct JSONParser {
    /// How many arrays and objects may stand in each other.
    static let depthMax = 64

    private let bytes: [UInt8]
    private var offset = 0
    private var place = JSONPointer()
    private var offsets: [JSONPointer: Int] = [:]

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> ParsedJSON {
        var parser = JSONParser(bytes)
        // The mark with which some editors begin a text in UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.offset = 3 }
        _ = parser.peek()
        parser.offsets[JSONPointer()] = parser.offset
        let value = try parser.value(depth: 0)
        if parser.peek() != nil { throw parser.error("there is text behind the end") }
        return ParsedJSON(value: value, offsets: parser.offsets)
    }

    private func error(_ reason: String, at place: Int? = nil) -> JSONSyntaxError {
        let before = bytes[..<min(place ?? offset, bytes.count)]
        let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return JSONSyntaxError(reason: reason, line: lines.count, column: (lines.last?.count ?? 0) + 1)
    }

    /// Reads the value at `token` of the one that is being read.
    private mutating func value(
        at token: String, offset start: Int, depth: Int
    ) throws(JSONSyntaxError) -> JSON {
        let outer = place
        place = place / token
        offsets[place] = start
        let value = try value(depth: depth)
        place = outer
        return value
    }

    /// Passes white space.
    /// - Returns: the byte behind it, which is not passed; nil at the end.
    private mutating func peek() -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
            offset += 1
        }
        return nil
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSON {
        guard depth < JSONParser.depthMax else { throw error("nested deeper than \(JSONParser.depthMax) levels") }
        switch peek() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw error("the text ends too early")
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        guard bytes[offset...].starts(with: word.utf8) else { throw error("expected a value") }
        offset += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSON {
        let start = offset
        while offset < bytes.count, "+-.0123456789Ee".utf8.contains(bytes[offset]) { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/) != nil,
            Double(text)?.isFinite == true
        else { throw error("expected a value", at: start) }
        return .number(text)
    }

    /// Passes a comma and returns true, or passes `end` and returns false.
    private mutating func goesOn(until end: UInt8) throws(JSONSyntaxError) -> Bool {
        let next = peek()
        guard next == UInt8(ascii: ",") || next == end else {
            let expected = "expected , or \(Character(UnicodeScalar(end)))"
            throw error(next == nil ? "the text ends too early" : expected)
        }
        offset += 1
        return next != end
    }

    /// Passes the opening bracket, and the closing one if nothing stands between them.
    /// - Returns: true when nothing does.
    private mutating func opensEmpty(_ end: UInt8) -> Bool {
        offset += 1
        guard peek() == end else { return false }
        offset += 1
        return true
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSON] {
        var elements: [JSON] = []
        if opensEmpty(UInt8(ascii: "]")) { return elements }
        repeat {
            _ = peek()
            elements.append(try value(at: "\(elements.count)", offset: offset, depth: depth))
        } while try goesOn(until: UInt8(ascii: "]"))
        return elements
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        var object = JSONObject()
        if opensEmpty(UInt8(ascii: "}")) { return object }
        repeat {
            guard peek() == UInt8(ascii: "\"") else { throw error("expected a key in quotes") }
            let start = offset
            let key = try text()
            if object[key] != nil { throw error("the key \"\(key)\" stands twice in one object", at: start) }
            guard peek() == UInt8(ascii: ":") else { throw error("expected : behind a key") }
            offset += 1
            object.append(key, try value(at: key, offset: start, depth: depth))
        } while try goesOn(until: UInt8(ascii: "}"))
        return object
    }

    private mutating func text() throws(JSONSyntaxError) -> String {
        let start = offset
        offset += 1
        var units: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let text = String(validating: units, as: UTF8.self) else {
                    throw error("the text is no UTF-8", at: start)
                }
                return text
            case UInt8(ascii: "\\"): units += String(try escaped()).utf8
            case ..<0x20: throw error("a control character in a text")
            default:
                units.append(byte)
                offset += 1
            }
        }
        throw error("the text in quotes does not end", at: start)
    }

    private mutating func escaped() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = offset
        offset += 2
        guard offset <= bytes.count else { throw error("the text in quotes does not end", at: start) }
        switch bytes[offset - 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw error("no such escape", at: start)
        }
        var code = try hexadecimal()
        // A character beyond 16 bits is written as a surrogate pair.
        if (0xD800..<0xDC00).contains(code), bytes[offset...].starts(with: "\\u".utf8) {
            offset += 2
            let low = try hexadecimal()
            guard (0xDC00..<0xE000).contains(low) else { throw error("half a character", at: start) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("half a character", at: start) }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        let digits = bytes[offset...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("expected four hexadecimal digits") }
        offset += 4
        return code
    }
}
