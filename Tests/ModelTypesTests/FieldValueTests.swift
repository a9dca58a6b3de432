import Foundation
import ModelRecord
import ModelTypes
import TestSupport
import Testing

/// What Swift types make of values, and values of them.
@Suite struct FieldValueTests {
    private enum Colour: String, FieldValue { case red, green }
    private enum Level: UInt8, FieldValue {
        case low = 1
        case high = 200
    }

    /// The value comes back as it went, by way of a record's bytes too.
    private func expectKept<T: FieldValue>(_ value: T, as wire: Value) throws {
        #expect(try value.encoded() == wire)
        #expect(try T(wire) == value)
        var cursor = FieldCursor(try makeRecord(["f": wire]))
        let isFound = cursor.find("f")
        try #require(isFound)
        #expect(try T.read(cursor) == value)
    }

    @Test func `every type is kept as the value that the table names`() throws {
        try expectKept(true, as: .bool(true))
        try expectKept(Int.min, as: .int(.min))
        try expectKept(Int8(-128), as: .int(-128))
        try expectKept(UInt16(65_535), as: .int(65_535))
        try expectKept(UInt64(Int64.max), as: .int(.max))
        try expectKept(1.5, as: .double(1.5))
        try expectKept(Float(0.1), as: .double(Double(Float(0.1))))
        try expectKept("text", as: .text("text"))
        try expectKept(Data([1, 2]), as: .bytes([1, 2]))
        let uuid = UUID()
        try expectKept(uuid, as: .uuid(uuid))
        try expectKept(try #require(URL(string: "https://a.example/b?c#d")), as: .uri("https://a.example/b?c#d"))
        try expectKept(Date(timeIntervalSince1970: 1_800_000_000.25), as: .timestamp(1_800_000_000.25))
        try expectKept(Int?.none, as: .null)
        try expectKept(Int?.some(3), as: .int(3))
        try expectKept([1, 2, 3], as: [1, 2, 3])
        try expectKept(["a": [true, nil], "b": []] as [String: [Bool?]], as: ["a": [true, nil], "b": []])
        try expectKept(Colour.green, as: "green")
        try expectKept(Level.high, as: 200)
        try expectKept(Open<Colour>.known(.red), as: "red")
        try expectKept(Open<Colour>.unknown("blue"), as: "blue")
        try expectKept(Value.tagged(40_000, encoded: [0]), as: .tagged(40_000, encoded: [0]))
    }

    @Test func `a double may come as an integer, a URL and a UUID as text`() throws {
        #expect(try Double(Value.int(3)) == 3)
        #expect(try URL(Value.text("https://a.example")).host() == "a.example")
        let uuid = UUID()
        #expect(try UUID(Value.text(uuid.uuidString)) == uuid)
    }

    @Test(arguments: [
        (Value.int(128), FieldFault.Code.range, "128 is not an integer from -128 to 127"),
        (.int(-129), .range, "-129 is not an integer from -128 to 127"),
        (.double(1), .kind, "1.0 is not an integer"),
        (.text("1"), .kind, "1 is not an integer"),
        (.null, .null, "null is not an integer"),
    ])
    func `an integer that does not fit is a fault that says why`(value: Value, code: FieldFault.Code, text: String) {
        let fault = outcome { () throws(FieldFault) in try Int8(value) }
        #expect(throws: FieldFault.self) { try fault.get() }
        guard case .failure(let error) = fault else { return }
        #expect(error.code == code)
        #expect(error.value == value)
        #expect(error.wanted == text.components(separatedBy: " is not ").last)
    }

    @Test func `other faults name what was wanted`() {
        func wanted<T: FieldValue>(_ type: T.Type, _ value: Value) -> String? {
            guard case .failure(let fault) = outcome({ () throws(FieldFault) in try T(value) }) else { return nil }
            return "\(fault.code.rawValue): \(fault.wanted)"
        }
        #expect(wanted(Bool.self, 1) == "kind: a Boolean")
        #expect(wanted(String.self, 1) == "kind: text")
        #expect(wanted(Data.self, "x") == "kind: bytes")
        #expect(wanted(Double.self, .int(.max)) == "range: a number that Double holds exactly")
        #expect(wanted(Float.self, .double(1e300)) == "range: a number in the range of Float")
        #expect(wanted(UUID.self, "no") == "form: a UUID")
        #expect(wanted(URL.self, "") == "form: a URL")
        #expect(wanted(Date.self, "2026-11-22") == "kind: a timestamp")
        #expect(wanted([Int].self, [1, "x"]) == "kind: 1: an integer")
        #expect(wanted([String: Int].self, ["a": nil]) == "null: a: an integer")
        #expect(wanted(Colour.self, "blue") == "form: a case of Colour")
        #expect(wanted(Colour.self, 1) == "kind: text")
        #expect(wanted(Open<Level>.self, 256) == "range: an integer from 0 to 255")
        #expect(outcome { () throws(FieldFault) in try UInt64.max.encoded() } != .success(.int(-1)))
    }

    @Test func `a value is read from a record's bytes as it is from the value, whatever it is`() {
        func check<T: FieldValue>(_ type: T.Type, _ cursor: FieldCursor, _ value: Value) throws {
            let read = outcome { () throws(FieldFault) in try T.read(cursor) }
            let made = outcome { () throws(FieldFault) in try T(value) }
            let isSame =
                switch (read, made) {
                case (.success(let read), .success(let made)): read == made
                case (.failure(let read), .failure(let made)): (read.code, read.wanted) == (made.code, made.wanted)
                default: false
                }
            guard isSame else { throw CaseFailure("\(value) as \(T.self): \(read), not \(made)") }
        }
        forEachSeed(5_000) { _, generator in
            let values = (0..<5).map { _ in Value.random(depth: 2, using: &generator) }
            let pairs = values.enumerated().map { ("f\($0)", $1) }
            let record = try makeRecord(Fields(Dictionary(uniqueKeysWithValues: pairs)))
            for (name, _) in pairs.shuffled(using: &generator) {
                guard let value = record[name] else { throw CaseFailure("\(name) is gone") }
                // Equal to nothing.
                if "\(value)".contains("nan") { continue }
                var cursor = FieldCursor(record)
                guard cursor.find(FieldName(name)) else { throw CaseFailure("\(name) is not found") }
                try check(Bool.self, cursor, value)
                try check(Int.self, cursor, value)
                try check(Int8.self, cursor, value)
                try check(UInt32.self, cursor, value)
                try check(Double.self, cursor, value)
                try check(Float.self, cursor, value)
                try check(String.self, cursor, value)
                try check(Data.self, cursor, value)
                try check(URL.self, cursor, value)
                try check(UUID?.self, cursor, value)
                try check(Date.self, cursor, value)
                try check([Int?].self, cursor, value)
                try check([String: String].self, cursor, value)
                try check(Open<Colour>.self, cursor, value)
                try check(Level?.self, cursor, value)
                try check(Value.self, cursor, value)
            }
        }
    }
}
