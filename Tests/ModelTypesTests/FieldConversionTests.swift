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
        expectKept(UInt8(7), as: .int(7), by: .intOrText(UInt8.self))
        expectKept("7a", as: "7a", by: .textOrNumber)
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
        #expect(wanted(#"{"x":"#, by: .json(Point.self))?.hasPrefix("form: the JSON of type Point: ") ?? false)
        #expect(
            wanted("red,blue", by: CommaSeparatedConversion().then(RawValueConversion<Colour>().elements))
                == "form: a case of Colour")
    }

    @Test func `dates that no calendar has are refused, and so are years that the form has no room for`() throws {
        let dates = [
            "2026-02-29T00:00:00Z", "2026-02-31T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T25:00:00Z",
            "2026-01-01T00:60:00Z", "2026-01-01T00:00:99Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+24:00",
            "0000-01-01T00:00:00Z", "-0001-12-01T19:33:20Z", "12026-01-01T00:00:00Z", "2026-01-01T00:00:00.Z",
        ]
        for text in dates { #expect(wanted(text, by: .iso8601) != nil, "\(text)") }
        for date in [Double.nan, .infinity, -.infinity, 1e15, 1e300, -62_135_596_801, 253_402_300_800] {
            let outcome = outcome { () throws(FieldFault) in
                try ISO8601Conversion().encode(Date(timeIntervalSince1970: date))
            }
            guard case .failure(let fault) = outcome else {
                Issue.record("\(date) is written as \(outcome)")
                continue
            }
            #expect(fault.wanted == "a date in the years 1 to 9999")
        }
    }

    @Test func `dates are of the Gregorian calendar, also before there was one`() {
        expectKept(Date(timeIntervalSince1970: -14_831_769_600), as: "1500-01-01T00:00:00Z", by: .iso8601)
        expectKept(Date(timeIntervalSince1970: -62_135_596_800), as: "0001-01-01T00:00:00Z", by: .iso8601)
        expectKept(Date(timeIntervalSince1970: 253_402_300_799.999), as: "9999-12-31T23:59:59.999Z", by: .iso8601)
        expectKept(Date(timeIntervalSince1970: -0.001), as: "1969-12-31T23:59:59.999Z", by: .iso8601)
        expectKept(Date(timeIntervalSince1970: 951_782_400), as: "2000-02-29T00:00:00Z", by: .iso8601)
        let leapSecond = outcome { () throws(FieldFault) in try ISO8601Conversion().decode("2016-12-31T23:59:60Z") }
        #expect(leapSecond == .success(Date(timeIntervalSince1970: 1_483_228_800)))
        let zone = outcome { () throws(FieldFault) in try ISO8601Conversion().decode("2026-01-01T01:30:00.0006-0130") }
        #expect(zone == .success(Date(timeIntervalSince1970: 1_767_236_400.001)))
    }

    @Test func `dates that Foundation writes are read as the same, and written as the same`() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        forEachSeed(2_000) { _, random in
            // After the calendars parted.
            let milliseconds = Int64.random(in: -12_000_000_000_000...253_402_300_799_999, using: &random)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let text = date.addingTimeInterval(0.0001).formatted(style)
            let read = outcome { () throws(FieldFault) in try ISO8601Conversion().decode(text) }
            guard read == .success(date) else { throw CaseFailure("\(text) is read as \(read)") }
            let written = outcome { () throws(FieldFault) in try ISO8601Conversion().encode(date) }
            let isWhole = milliseconds % 1000 == 0
            let wanted = isWhole ? date.formatted(Date.ISO8601FormatStyle()) : text
            guard written == .success(wanted) else { throw CaseFailure("\(text) is written as \(written)") }
        }
    }

    @Test func `text that is an integer is read, and written as an integer`() {
        #expect(
            outcome { () throws(FieldFault) in try IntOrTextConversion<Int64>().decode(.text("-12")) } == .success(-12))
        #expect(
            outcome { () throws(FieldFault) in try IntOrTextConversion<Int64>().encode(-12) } == .success(.int(-12)))
        #expect(outcome { () throws(FieldFault) in try IntOrTextConversion<Int>().decode(.text("12")) } == .success(12))
        #expect(wanted(.text("256"), by: .intOrText(UInt8.self)) == "range: an integer from 0 to 255")
        #expect(wanted(.int(-1), by: .intOrText(UInt.self))?.hasPrefix("range: an integer from 0 to ") == true)
    }

    @Test func `a number is read as its text where text is wanted`() {
        let conversion = TextOrNumberConversion()
        for (wire, text) in [(Value.int(12), "12"), (.double(1.5), "1.5"), (.text("12 b"), "12 b")] {
            #expect(outcome { () throws(FieldFault) in try conversion.decode(wire) } == .success(text))
        }
        #expect(wanted(.bool(true), by: .textOrNumber) == "kind: text, or a number")
        #expect(wanted(.null, by: .textOrNumber) == "null: text, or a number")
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
