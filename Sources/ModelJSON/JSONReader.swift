package import ModelRecord

/// A strict reader of JSON (RFC 8259) that makes values of the text where it stands.
///
/// The reader is stricter than the standard: a key stands once in an object, and an integer fits into 64 bits. A number
/// without point and exponent is an integer, every other one a double.
package struct JSONReader: ~Escapable {
    package let bytes: Span<UInt8>
    package var offset = 0

    /// How many arrays and objects may stand in each other.
    package static let depthMax = 16

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// The members of a text that is one object.
    package static func object(_ bytes: Span<UInt8>) throws(JSONError) -> [String: Value] {
        var reader = JSONReader(bytes)
        guard reader.peek() == UInt8(ascii: "{"), case .map(let members) = try reader.value(depth: 0) else {
            throw JSONError("expected an object", at: reader.offset)
        }
        try reader.expectEnd()
        return members
    }

    /// Passes white space.
    /// - Returns: the byte behind it, which is not passed; nil at the end.
    @_lifetime(self: copy self)
    package mutating func peek() -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
            offset &+= 1
        }
        return nil
    }

    /// Passes white space and this byte.
    /// - Throws: `JSONError` with `reason` when another byte comes.
    @_lifetime(self: copy self)
    package mutating func expect(_ byte: UInt8, _ reason: String) throws(JSONError) {
        guard peek() == byte else { throw JSONError(reason, at: offset) }
        offset &+= 1
    }

    /// Passes a comma and returns true, or passes `end` and returns false.
    @_lifetime(self: copy self)
    package mutating func goesOn(until end: UInt8) throws(JSONError) -> Bool {
        switch peek() {
        case UInt8(ascii: ","):
            offset &+= 1
            return true
        case end:
            offset &+= 1
            return false
        case nil: throw JSONError("the line ends too early")
        default: throw JSONError("expected , or \(Character(UnicodeScalar(end)))", at: offset)
        }
    }

    /// Checks that only white space follows.
    @_lifetime(self: copy self)
    package mutating func expectEnd() throws(JSONError) {
        if peek() != nil { throw JSONError("there is text behind the object", at: offset) }
    }

    /// Reads a value.
    /// - Parameter depth: how many arrays and objects stand around it.
    @_lifetime(self: copy self)
    package mutating func value(depth: Int) throws(JSONError) -> Value {
        switch peek() {
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "{"): return .map(try map(depth: try enter(depth)))
        case UInt8(ascii: "["): return .array(try array(depth: try enter(depth)))
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
        case nil: throw JSONError("the line ends too early")
        default: throw JSONError("expected a value", at: offset)
        }
    }

    /// Passes an opening bracket or brace.
    /// - Returns: the depth inside it.
    @_lifetime(self: copy self)
    package mutating func enter(_ depth: Int) throws(JSONError) -> Int {
        guard depth < JSONReader.depthMax else {
            throw JSONError("nested deeper than \(JSONReader.depthMax) levels", at: offset)
        }
        offset &+= 1
        return depth + 1
    }

    /// Reads a key and the colon behind it.
    @_lifetime(self: copy self)
    package mutating func key() throws(JSONError) -> String {
        guard let next = peek() else { throw JSONError("the line ends too early") }
        guard next == UInt8(ascii: "\"") else { throw JSONError("expected a key in quotes", at: offset) }
        let key = try text()
        try expect(UInt8(ascii: ":"), "expected : behind a key")
        return key
    }

    @_lifetime(self: copy self)
    private mutating func array(depth: Int) throws(JSONError) -> [Value] {
        var elements: [Value] = []
        if peek() == UInt8(ascii: "]") {
            offset &+= 1
            return elements
        }
        repeat { elements.append(try value(depth: depth)) } while try goesOn(until: UInt8(ascii: "]"))
        return elements
    }

    @_lifetime(self: copy self)
    private mutating func map(depth: Int) throws(JSONError) -> [String: Value] {
        var members: [String: Value] = [:]
        if peek() == UInt8(ascii: "}") {
            offset &+= 1
            return members
        }
        repeat {
            let key = try key()
            guard members.updateValue(try value(depth: depth), forKey: key) == nil else {
                throw JSONError("the key \"\(key)\" stands twice in one object, be it in two forms of Unicode")
            }
        } while try goesOn(until: UInt8(ascii: "}"))
        return members
    }

    @_lifetime(self: copy self)
    private mutating func literal(_ word: StaticString, _ value: Value) throws(JSONError) -> Value {
        let start = offset
        for expected in word.description.utf8 {
            guard offset < bytes.count, bytes[offset] == expected else {
                throw JSONError("expected a value", at: start)
            }
            offset &+= 1
        }
        return value
    }
}
