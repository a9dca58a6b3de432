import ModelRecord
import Testing

@testable import ModelJSON

@Suite struct JSONReaderTests {
    static let accepted: [(String, Value)] = [
        ("null", .null), ("true", .bool(true)), ("false", .bool(false)),
        ("0", .int(0)), ("-0", .int(0)), ("42", .int(42)), ("-7", .int(-7)),
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        ("1.0", .double(1)), ("-0.5", .double(-0.5)), ("1e3", .double(1000)), ("25E-2", .double(0.25)),
        ("1e+2", .double(100)), ("100000000000000000000000.0", .double(1e23)),
        (#""""#, .text("")), (#""Ada""#, .text("Ada")), (#""é😀""#, .text("é😀")),
        (#""\"\\\/\b\f\n\r\t""#, .text("\"\\/\u{8}\u{C}\n\r\t")),
        (#""\u0041\u00e9\ud83d\uDE00""#, .text("Aé😀")), (#""a\u0000b""#, .text("a\0b")),
        ("[]", .array([])), ("[1,[2.5],\"x\"]", .array([.int(1), .array([.double(2.5)]), .text("x")])),
        (#"{"a":{"b":[null]}}"#, .map(["a": .map(["b": .array([.null])])])),
        (" [ 1 ,\t2\r ] ", .array([.int(1), .int(2)])),
        (#"{"a":1,"á":2}"#, .map(["a": .int(1), "á": .int(2)])),
    ]

    @Test(arguments: accepted)
    func `what the standard allows is read`(_ text: String, _ expected: Value) throws {
        #expect(try read(text) == expected)
    }

    static let refused: [(String, String)] = [
        ("", "ends too early"), ("nul", "expected a value"), ("True", "expected a value"), ("'a'", "expected a value"),
        ("01", "begins with 0"), ("-", "expected a digit"), ("1.", "expected a digit"), (".5", "expected a value"),
        ("1e", "expected a digit"), ("+1", "expected a value"), ("NaN", "expected a value"),
        ("9223372036854775808", "9223372036854775808 does not fit into 64 bits"),
        ("-9223372036854775809", "does not fit into 64 bits"),
        ("123456789012345678901234567890", "does not fit into 64 bits"), ("1e999", "beyond the range of a double"),
        (#""abc"#, "ends inside a string"), (#""\x""#, "no escape"), (#""\u12g4""#, "four hexadecimal digits"),
        (#""\ud800""#, "surrogate"), (#""\udc00\ud800""#, "surrogate"), (#""\ud800\u0041""#, "surrogate"),
        ("\"a\u{1}\"", "control character"), (#""\"#, "ends inside a string"),
        ("[1,]", "expected a value"), ("[1 2]", "expected , or ]"), ("[1", "ends too early"), ("[1]]", "behind"),
        (#"{"a" 1}"#, "expected : behind a key"), (#"{"a":1,}"#, "expected a key"), ("{a:1}", "expected a key"),
        (#"{"a":1,"a":2}"#, #""a" stands twice"#), (#"{"a":1"#, "ends too early"),
    ]

    @Test(arguments: refused)
    func `everything else is refused with a reason`(_ text: String, _ reason: String) {
        let error = #expect(throws: JSONError.self) { try read(text) }
        #expect(error?.description.contains(reason) ?? false, "\(text): \(String(describing: error))")
    }

    @Test func `sixteen levels of nesting are read and seventeen refused`() throws {
        let deepest = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        _ = try read(deepest)
        let error = #expect(throws: JSONError.self) { try read("[\(deepest)]") }
        #expect(error?.reason == "nested deeper than 16 levels")
    }

    @Test func `a string that is not UTF-8 is refused`() {
        for broken: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x5C, 0x6E, 0x80]] {
            let bytes = [0x22] + broken + [0x22]
            #expect(throws: JSONError.self) {
                var reader = JSONReader(bytes.span)
                return try reader.value(depth: 0)
            }
        }
    }

    @Test func `no prefix of a text is taken for the text, and none traps`() {
        let text = #"{"a":[1,-2.5e3,"x\u00e9\n",{"b":null,"c":true}],"d":"é"}"#
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(throws: JSONError.self) { try read(bytes[..<count]) }
        }
    }

    private func read(_ text: String) throws(JSONError) -> Value { try read(Array(text.utf8)[...]) }

    private func read(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> Value {
        let bytes = Array(bytes)
        var reader = JSONReader(bytes.span)
        let value = try reader.value(depth: 0)
        try reader.expectEnd()
        return value
    }
}
