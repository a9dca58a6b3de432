import Foundation
import ModelRecord
import ModelTypes
import Testing

/// Models that are written by hand.
@Suite struct FieldReaderTests {
    private enum Colour: String, FieldValue { case red, green }

    private struct User: Equatable {
        let name: String
        let age: Int?
        let colour: Colour
        let joined: Date

        init(_ record: CellRecord) throws(FieldProblem) {
            var reader = FieldReader(record)
            name = try reader.read("name")
            age = try reader.read("age")
            colour = try reader.read("colour", default: .red)
            joined = try reader.read("joined", by: .iso8601)
        }
    }

    private func problem(_ fields: Fields) throws -> String? {
        let record = try makeRecord(fields)
        do {
            _ = try User(record)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a model is read field by field, in whatever order`() throws {
        let user = try User(
            makeRecord(["name": "Ada", "age": 36, "colour": "green", "joined": "1970-01-01T00:00:01Z", "other": true]))
        #expect(user.name == "Ada" && user.age == 36 && user.colour == .green)
        #expect(user.joined == Date(timeIntervalSince1970: 1))
    }

    @Test func `what is unknown or null is nil of an optional type, and the default where there is one`() throws {
        let sparse = try User(makeRecord(["name": "Ada", "joined": "1970-01-01T00:00:01Z"]))
        #expect(sparse.age == nil && sparse.colour == .red)
        let empty = try User(makeRecord(["name": "Ada", "age": nil, "colour": nil, "joined": "1970-01-01T00:00:01Z"]))
        #expect(empty == sparse)
    }

    @Test(arguments: [
        Value.text(String(repeating: "a\n", count: 1 << 20)), .array(Array(repeating: 1, count: 100_000)),
        .map(["k\u{1B}": .bytes(Array(repeating: 7, count: 1 << 20))]), .bytes([7]), .uri("https://a.b\n"), .bool(true),
        .tagged(7, encoded: [1]), .timestamp(1.5),
    ])
    func `what is told of a faulty value is one short line, whatever a peer has written`(value: Value) throws {
        let fault = FieldFault(value, wanted: "text")
        let told = ModelProblem(type: "User", id: String(repeating: "i\n", count: 9_000), [FieldProblem("name", fault)])
        #expect(told.description.utf8.count <= 300)
        #expect(!told.description.unicodeScalars.contains { $0.value < 0x20 }, "\(told)")
        #expect(fault.description.hasSuffix(" is not text"))
    }

    @Test func `a field that does not fit is named, with what it holds and what was wanted`() throws {
        let joined = Value.text("1970-01-01T00:00:01Z")
        #expect(try problem(["joined": joined]) == "name: unknown")
        #expect(try problem(["name": nil, "joined": joined]) == "name: null is not text")
        #expect(try problem(["name": 7, "joined": joined]) == "name: 7 is not text")
        #expect(try problem(["name": "Ada", "age": "x", "joined": joined]) == "age: \"x\" is not an integer")
        #expect(
            try problem(["name": "Ada", "colour": "blue", "joined": joined])
                == "colour: \"blue\" is not a case of Colour")
        #expect(try problem(["name": "Ada", "joined": nil]) == "joined: null is not text")
        #expect(
            try problem(["name": "Ada", "joined": "soon"])
                == "joined: \"soon\" is not a date in the form of ISO 8601, as 2026-11-22T16:07:02Z")
    }
}
