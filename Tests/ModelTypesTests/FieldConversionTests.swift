import Foundation
import ModelRecord
import ModelTypes
import TestSupport
import Testing

/// Conversions fit in both directions, and say what is wrong.
@Suite struct FieldConversionTests {
    private func expectKept<C: FieldConversion>(
        _ property: C.Property, as wire: C.Wire, by conversion: C, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            outcome { () throws(FieldFault) in try conversion.encode(property) } == .success(wire),
            sourceLocation: sourceLocation)
        #expect(
            outcome { () throws(FieldFault) in try conversion.decode(wire) } == .success(property),
            sourceLocation: sourceLocation)
    }

    private func wanted<C: FieldConversion>(_ wire: C.Wire, by conversion: C) -> String? {
        guard case .failure(let fault) = outcome({ () throws(FieldFault) in try conversion.decode(wire) }) else {
            return nil
        }
        return "\(fault.code.rawValue): \(fault.wanted)"
    }

    private enum Colour: String { case red, green }
    private struct Point: Codable, Hashable { var x: Int, y: Int? }

    @Test func `each conversion keeps what it is given`() throws {
        expectKept(Date(timeIntervalSince1970: 1_795_363_622), as: "2026-11-22T16:07:02Z", by: .iso8601)
        expectKept(Date(timeIntervalSince1970: 1_795_363_622.25), as: "2026-11-22T16:07:02.250Z", by: .iso8601)
        expectKept(Date(timeIntervalSince1970: 12.5), as: 12.5, by: .unixSeconds)
        expectKept(Date(timeIntervalSince1970: -0.001), as: -1, by: .unixMilliseconds)
        expectKept(try #require(URL(string: "https://a.example/b")), as: "https://a.example/b", by: .urlText)
        let uuid = UUID()
        expectKept(uuid, as: uuid.uuidString, by: .uuidText)
        expectKept([], as: "", by: .commaSeparated)
        expectKept(["a", "", "b c"], as: "a,,b c", by: .commaSeparated)
        expectKept(Point(x: 1, y: nil), as: #"{"x":1}"#, by: .json(Point.self))
        expectKept(7, as: .int(7), by: .intOrText)
        expectKept(Colour.red, as: "red", by: .rawValue(Colour.self))
    }

    @Test func `conversions are put together`() throws {
        let colours = RawValueConversion<Colour>().elements
        expectKept([Colour.red, .green], as: "red,green", by: CommaSeparatedConversion().then(colours))
        expectKept(nil, as: nil, by: ISO8601Conversion().optional)
        let date = Date(timeIntervalSince1970: 0)
        expectKept(date, as: "1970-01-01T00:00:00Z", by: ISO8601Conversion().optional)
        expectKept([[date], []], as: [[0], []], by: UnixMillisecondsConversion().elements.elements)
    }

    @Test func `what does not convert says what was wanted`() {
        #expect(wanted("yesterday", by: .iso8601) == "form: a date in the form of ISO 8601, as 2026-11-22T16:07:02Z")
        let dates = [
            "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00Zjunk", "1970-01-01T00:00:00+1", "Z", "",
            "1970-01-01T00:00:00+01:00 junk Z", "1970-01-01T00:00:00Z+01:00", "1970-01-01T00:00:00+01:00Z",
        ]
        for text in dates {
            #expect(wanted(text, by: .iso8601) != nil, "\(text)")
        }
        #expect(wanted("no", by: .uuidText) == "form: a UUID")
        #expect(wanted("", by: .urlText) == "form: a URL")
        #expect(wanted("blue", by: .rawValue(Colour.self)) == "form: a case of Colour")
        #expect(wanted(.text("1.5"), by: .intOrText) == "form: an integer, or its decimal text")
        #expect(wanted(.null, by: .intOrText) == "null: an integer, or its decimal text")
        #expect(wanted(.bool(true), by: .intOrText) == "kind: an integer, or its decimal text")
        #expect(wanted(#"{"x":"#, by: .json(Point.self))?.hasPrefix("form: JSON of a Point: ") ?? false)
        #expect(
            wanted("red,blue", by: CommaSeparatedConversion().then(RawValueConversion<Colour>().elements))
                == "form: a case of Colour")
    }

    @Test func `text that is an integer is read, and written as an integer`() {
        #expect(outcome { () throws(FieldFault) in try IntOrTextConversion().decode(.text("-12")) } == .success(-12))
        #expect(outcome { () throws(FieldFault) in try IntOrTextConversion().encode(-12) } == .success(.int(-12)))
    }

    @Test func `what cannot be told apart afterwards is not written`() {
        for texts in [["a,b"], [""]] {
            #expect(throws: FieldFault.self) { try CommaSeparatedConversion().encode(texts) }
        }
        #expect(throws: FieldFault.self) {
            try UnixMillisecondsConversion().encode(Date(timeIntervalSince1970: 1e300))
        }
    }

    @Test func `dates of any time zone and fraction are read to the millisecond and come back`() {
        forEachSeed(2_000) { _, generator in
            let milliseconds = Int64.random(in: -2_000_000_000_000...4_000_000_000_000, using: &generator)
            let date = try UnixMillisecondsConversion().decode(milliseconds)
            let text = try ISO8601Conversion().encode(date)
            guard try ISO8601Conversion().decode(text) == date else { throw CaseFailure("\(text) is not \(date)") }
            guard try UnixMillisecondsConversion().encode(date) == milliseconds else {
                throw CaseFailure("\(milliseconds) milliseconds come back as others")
            }
            let hours = Int.random(in: 0...12, using: &generator)
            let zone = String(format: "+%02d:00", hours)
            let moved = try ISO8601Conversion().encode(date.addingTimeInterval(Double(hours) * 3600))
            guard try ISO8601Conversion().decode(String(moved.dropLast()) + zone) == date else {
                throw CaseFailure("\(moved) \(zone) is not \(date)")
            }
        }
    }
}
