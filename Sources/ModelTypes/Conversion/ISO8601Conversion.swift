#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.Date
#else
    public import struct Foundation.Date
#endif

/// A date as ISO 8601 text, as JSON has it: `2026-11-22T16:07:02Z`, with milliseconds where there are any.
///
/// Read with or without a fraction, in any time zone; written in UTC. A finer fraction is rounded to milliseconds.
public struct ISO8601Conversion: FieldConversion {
    private static let whole = Date.ISO8601FormatStyle()
    private static let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> Date {
        // The style accepts fractions, but also any text behind the time zone.
        guard ISO8601Conversion.isDateWithZone(wire.utf8), let date = try? ISO8601Conversion.whole.parse(wire) else {
            throw fault(wire, wanted: "a date in the form of ISO 8601, as 2026-11-22T16:07:02Z")
        }
        return ISO8601Conversion.rounded(date)
    }

    /// True when the text ends with `Z`, `+01:00` or `-0100`, and has nothing before but what a date is written with.
    private static func isDateWithZone(_ wire: String.UTF8View) -> Bool {
        var zoneCount = 1
        if wire.last != UInt8(ascii: "Z") {
            let zone = wire.suffix(6).drop { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }.dropFirst()
            let digits = zone.filter { $0 != UInt8(ascii: ":") }
            guard digits.count == 4, digits.allSatisfy(isDigit) else { return false }
            zoneCount += zone.count
        }
        return wire.dropLast(zoneCount).allSatisfy { isDigit($0) || "-:.T".utf8.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    public func encode(_ property: Date) throws(FieldFault) -> String {
        let date = ISO8601Conversion.rounded(property)
        let isWhole = date.timeIntervalSince1970 == date.timeIntervalSince1970.rounded()
        // The style cuts off what is finer than a millisecond, and a double is often a little below the millisecond.
        return isWhole
            ? date.formatted(ISO8601Conversion.whole)
            : date.addingTimeInterval(0.0001).formatted(ISO8601Conversion.fractional)
    }

    private static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: date.roundedMilliseconds / 1000)
    }
}

extension FieldConversion where Self == ISO8601Conversion {
    /// ``ISO8601Conversion``.
    public static var iso8601: Self { Self() }
}
