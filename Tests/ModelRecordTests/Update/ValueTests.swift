import Foundation
import ModelCBOR
import ModelRecord
import Testing

struct ValueTests {
    @Test func `literals make values`() {
        let map: Value = [
            "null": nil, "bool": true, "int": -7, "double": 1.5, "text": "x", "array": [1, [2]], "int": 8,
        ]
        #expect(
            map
                == .map([
                    "null": .null, "bool": .bool(true), "int": .int(8), "double": .double(1.5), "text": .text("x"),
                    "array": .array([.int(1), .array([.int(2)])]),
                ]))
    }

    @Test func `accessors give the value of their own case only`() {
        #expect(Value.bool(true).boolValue == true)
        #expect(Value.int(1).boolValue == nil)
        #expect(Value.int(-3).intValue == -3)
        #expect(Value.double(3).intValue == nil)
        #expect(Value.double(2.5).doubleValue == 2.5)
        #expect(Value.int(2).doubleValue == 2)
        #expect(Value.text("2").doubleValue == nil)
        #expect(Value.text("x").textValue == "x")
        #expect(Value.uri("x").textValue == nil)
        #expect(Value.null.isNull)
        #expect(!Value.undefined.isNull)
    }

    private static let encodings: [(Value, String)] = [
        (.null, "f6"), (.undefined, "f7"), (true, "f5"), (false, "f4"),
        (0, "00"), (23, "17"), (24, "1818"), (256, "190100"), (65_536, "1a00010000"), (-1, "20"), (-25, "3818"),
        (.int(.max), "1b7fffffffffffffff"), (.int(.min), "3b7fffffffffffffff"),
        (0.0, "f90000"), (-0.0, "f98000"), (1.5, "f93e00"), (100_000.5, "fa47c35040"), (0.1, "fb3fb999999999999a"),
        (.double(.infinity), "f97c00"),
        ("", "60"), ("ü", "62c3bc"), (.bytes([]), "40"), (.bytes([1, 2]), "420102"),
        ([], "80"), ([1, [2]], "82018102"), ([:], "a0"),
        (["b": 1, "aa": 2, "a": 3], "a361610361620162616102"),
        (.uri("urn:x"), "d8206575726e3a78"), (.timestamp(0), "c100"), (.timestamp(-1), "c120"),
        (.timestamp(1.5), "c1f93e00"), (.timestamp(-1.5), "c1f9be00"),
        (.timestamp(1_750_000_000), "c11a684ee180"), (.tagged(2, encoded: [0x41, 0x07]), "c24107"),
        (.tagged(99, encoded: [0x9F, 0x18, 0x01, 0xFF]), "d8639f1801ff"),
        (.tagged(32, encoded: [0x01]), "d82001"), (.tagged(37, encoded: [0x41, 0x01]), "d8254101"),
        (.tagged(1, encoded: [0x60]), "c160"), (.tagged(.max, encoded: [0xF6]), "dbfffffffffffffffff6"),
    ]

    @Test(arguments: encodings)
    func `a value is written in these bytes and read from them`(value: Value, hex: String) throws {
        #expect(value.encoded.map { String(format: "%02x", $0) }.joined() == hex)
        #expect(try Value(bytes: value.encoded) == value)
    }

    @Test func `a UUID is 16 bytes under tag 37`() throws {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let bytes: [UInt8] = [0xD8, 37, 0x50] + (0..<16).map { $0 * 0x11 }
        #expect(Value.uuid(uuid).encoded == bytes)
        #expect(try Value(bytes: bytes) == .uuid(uuid))
    }

    @Test func `not a number is a half and stays one`() throws {
        #expect(Value.double(.nan).encoded == [0xF9, 0x7E, 0x00])
        let value = try Value(bytes: [0xFB, 0x7F, 0xF8, 0, 0, 0, 0, 0, 1])
        #expect(value.doubleValue?.isNaN == true)
    }

    @Test func `every case survives in a record`() throws {
        let fields: Fields = [
            "null": nil, "bool": true, "int": .int(.min), "double": 0.1, "text": "ü😀", "bytes": .bytes([0, 255]),
            "array": [1, nil, "x"], "map": ["a": ["b": .undefined]], "uri": .uri("https://example.org/"),
            "uuid": .uuid(UUID()), "time": .timestamp(-1.25), "tagged": .tagged(1 << 40, encoded: [0x81, 0x20]),
        ]
        var model = Model()
        model.merge(1.by("a"), fields)
        let record = try CellRecord(bytes: try #require(model.record).array)
        for pair in fields.pairs { #expect(record[pair.field] == pair.value) }
    }

    private static let refused: [([UInt8], CBORError.Code)] = [
        ([0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0], .integerRange), ([0x3B, 0xFF, 0, 0, 0, 0, 0, 0, 0], .integerRange),
        ([0xA1, 0x01, 0x02], .unexpectedType), ([0xA2, 0x61, 0x61, 1, 0x61, 0x61, 2], .duplicateKey),
        ([0xF0], .unexpectedType), ([0xFF], .unexpectedType), ([0x82, 0x01], .truncated), ([0x62, 0x61], .truncated),
        ([0x61, 0xFF], .invalidUTF8), ([], .truncated),
        ([0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated),
        ([0x1C], .reserved), ([0x01, 0x01], .trailingBytes),
    ]

    @Test(arguments: refused)
    func `what is no value is refused with its reason`(bytes: [UInt8], code: CBORError.Code) {
        let error = #expect(throws: CBORError.self) { try Value(bytes: bytes) }
        #expect(error?.code == code)
    }

    @Test func `nesting is allowed up to the limit`() throws {
        let deep = [UInt8](repeating: 0x81, count: 5) + [0x01]
        #expect(try Value(bytes: deep, maxDepth: 5).encoded == deep)
        let error = #expect(throws: CBORError.self) { try Value(bytes: deep, maxDepth: 4) }
        #expect(error?.code == .tooDeep)
        #expect(try Value(bytes: [0x01], maxDepth: 0) == 1)
        for head: UInt8 in [0x81, 0xC9] {
            let hostile = [UInt8](repeating: head, count: 1_000_000)
            #expect(throws: CBORError.self) { try Value(bytes: hostile) }
        }
    }

    @Test func `indefinite lengths are read`() throws {
        #expect(try Value(bytes: [0x7F, 0x61, 0x61, 0x61, 0x62, 0xFF]) == "ab")
        #expect(try Value(bytes: [0x5F, 0x41, 1, 0x40, 0xFF]) == .bytes([1]))
        #expect(try Value(bytes: [0x9F, 1, 0x9F, 0xFF, 0xFF]) == [1, []])
        #expect(try Value(bytes: [0xBF, 0x61, 0x61, 1, 0xFF]) == ["a": 1])
        #expect(try Value(bytes: [0xD8, 32, 0x7F, 0x61, 0x61, 0xFF]) == .uri("a"))
    }
}
