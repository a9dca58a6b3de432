import ModelCBOR
import ModelRecord
import TestSupport
import Testing

/// One row of RFC 8949, appendix A.
struct Row: Sendable, CustomTestStringConvertible {
    /// What the reader makes of it.
    enum Meaning: Sendable {
        case value(Value)
        /// Valid CBOR that no field can hold.
        case refused(CBORError.Code)
    }

    let hex: String
    let meaning: Meaning
    /// Written as a deterministic encoder would.
    let isDeterministic: Bool

    init(_ hex: String, _ value: Value, sloppy: Bool = false) {
        self.hex = hex
        meaning = .value(value)
        isDeterministic = !sloppy
    }

    init(_ hex: String, refused code: CBORError.Code) {
        self.hex = hex
        meaning = .refused(code)
        isDeterministic = true
    }

    var testDescription: String { hex }

    static let upTo25 = Value.array((1...25).map { .int($0) })
    static let upTo25Hex = (1...23).map { [UInt8($0)].hex }.joined() + "18181819"

    static let integers: [Row] = [
        Row("00", 0), Row("01", 1), Row("0a", 10), Row("17", 23), Row("1818", 24), Row("1819", 25), Row("1864", 100),
        Row("1903e8", 1000), Row("1a000f4240", 1_000_000), Row("1b000000e8d4a51000", 1_000_000_000_000),
        Row("1bffffffffffffffff", refused: .integerRange),
        Row("c249010000000000000000", .tagged(2, encoded: .init(hex: "49010000000000000000"))),
        Row("3bffffffffffffffff", refused: .integerRange),
        Row("c349010000000000000000", .tagged(3, encoded: .init(hex: "49010000000000000000"))),
        Row("20", -1), Row("29", -10), Row("3863", -100), Row("3903e7", -1000),
    ]

    static let floats: [Row] = [
        Row("f90000", 0.0), Row("f98000", .double(-0.0)), Row("f93c00", 1.0), Row("fb3ff199999999999a", 1.1),
        Row("f93e00", 1.5), Row("f97bff", 65504.0), Row("fa47c35000", 100000.0),
        Row("fa7f7fffff", 3.4028234663852886e+38), Row("fb7e37e43c8800759c", 1.0e+300),
        Row("f90001", 5.960464477539063e-8), Row("f90400", 0.00006103515625), Row("f9c400", -4.0),
        Row("fbc010666666666666", -4.1), Row("f97c00", .double(.infinity)), Row("f97e00", .double(.nan)),
        Row("f9fc00", .double(-.infinity)), Row("fa7f800000", .double(.infinity), sloppy: true),
        Row("fa7fc00000", .double(.nan), sloppy: true), Row("faff800000", .double(-.infinity), sloppy: true),
        Row("fb7ff0000000000000", .double(.infinity), sloppy: true),
        Row("fb7ff8000000000000", .double(.nan), sloppy: true),
        Row("fbfff0000000000000", .double(-.infinity), sloppy: true),
    ]

    static let simpleAndTagged: [Row] = [
        Row("f4", false), Row("f5", true), Row("f6", nil), Row("f7", .undefined),
        Row("f0", refused: .unexpectedType), Row("f8ff", refused: .unexpectedType),
        Row(
            "c074323031332d30332d32315432303a30343a30305a",
            .tagged(0, encoded: .init(hex: "74323031332d30332d32315432303a30343a30305a"))),
        Row("c11a514b67b0", .timestamp(1_363_896_240)), Row("c1fb41d452d9ec200000", .timestamp(1_363_896_240.5)),
        Row("d74401020304", .tagged(23, encoded: .init(hex: "4401020304"))),
        Row("d818456449455446", .tagged(24, encoded: .init(hex: "456449455446"))),
        Row("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .uri("http://www.example.com")),
    ]

    static let strings: [Row] = [
        Row("40", .bytes([])), Row("4401020304", .bytes([1, 2, 3, 4])), Row("60", ""), Row("6161", "a"),
        Row("6449455446", "IETF"), Row("62225c", "\"\\"), Row("62c3bc", "\u{FC}"), Row("63e6b0b4", "\u{6C34}"),
        Row("64f0908591", "\u{10151}"),
    ]

    static let containers: [Row] = [
        Row("80", []), Row("83010203", [1, 2, 3]), Row("8301820203820405", [1, [2, 3], [4, 5]]),
        Row("9819" + upTo25Hex, upTo25), Row("a0", [:]), Row("a201020304", refused: .unexpectedType),
        Row("a26161016162820203", ["a": 1, "b": [2, 3]]), Row("826161a161626163", ["a", ["b": "c"]]),
        Row("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
    ]

    static let indefinite: [Row] = [
        Row("5f42010243030405ff", .bytes([1, 2, 3, 4, 5]), sloppy: true),
        Row("7f657374726561646d696e67ff", "streaming", sloppy: true), Row("9fff", [], sloppy: true),
        Row("9f018202039f0405ffff", [1, [2, 3], [4, 5]], sloppy: true),
        Row("9f01820203820405ff", [1, [2, 3], [4, 5]], sloppy: true),
        Row("83018202039f0405ff", [1, [2, 3], [4, 5]], sloppy: true),
        Row("83019f0203ff820405", [1, [2, 3], [4, 5]], sloppy: true),
        Row("9f" + upTo25Hex + "ff", upTo25, sloppy: true),
        Row("bf61610161629f0203ffff", ["a": 1, "b": [2, 3]], sloppy: true),
        Row("826161bf61626163ff", ["a", ["b": "c"]], sloppy: true),
        Row("bf6346756ef563416d7421ff", ["Fun": true, "Amt": -2], sloppy: true),
    ]

    static let all = integers + floats + simpleAndTagged + strings + containers + indefinite
}

@Suite struct AppendixATests {
    @Test func `the table is complete`() { #expect(Row.all.count == 81) }

    @Test(arguments: Row.all)
    func `a row is valid, and known as deterministic or not`(row: Row) {
        let bytes = [UInt8](hex: row.hex)
        #expect(
            read(bytes, .skip, maxDepth: 4)
                == .success(Passed(byteCount: bytes.count, isDeterministic: row.isDeterministic)))
        #expect(byteCount(bytes, .wellFormed) == bytes.count)
    }

    @Test(arguments: Row.all)
    func `a row decodes to its value, or is refused for what it is`(row: Row) throws {
        let bytes = [UInt8](hex: row.hex)
        switch row.meaning {
        case .value(let expected):
            // By their encodings, because a NaN equals nothing.
            #expect(encoded(try decoded(bytes)) == encoded(expected))
            #expect(byteCount(bytes, .check, maxDepth: 4) == bytes.count)
        case .refused(let code):
            #expect(failure(bytes, .value) == code)
            #expect(failure(bytes, .check) == code)
        }
    }

    @Test(arguments: Row.all)
    func `writing a row's value gives the row, or its deterministic form`(row: Row) throws {
        let canonical = try canonicalForm([UInt8](hex: row.hex)).hex
        #expect((canonical == row.hex) == row.isDeterministic)
        if case .value(let value) = row.meaning { #expect(encoded(value).hex == canonical) }
    }
}
