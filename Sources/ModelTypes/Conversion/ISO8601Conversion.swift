import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.Date
#else
    public import struct Foundation.Date
#endif

/// A date as ISO 8601 text, as JSON has it: `2026-11-22T16:07:02Z`, with milliseconds where there are any.
///
/// Read with or without a fraction, in any time zone, as RFC 3339 has it; written in UTC. A finer fraction is rounded
/// to milliseconds. A day that no calendar has is refused. The years are 1 to 9999, of the Gregorian calendar
/// throughout, as the standard has it and other languages do. (Foundation's style writes the Julian calendar before
/// 1582, any year, and takes the 31st of February.)
public struct ISO8601Conversion: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> Date {
        guard let milliseconds = ISO8601Text.milliseconds(wire) else {
            throw fault(wire, wanted: "a date in the form of ISO 8601, as 2026-11-22T16:07:02Z")
        }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    public func encode(_ property: Date) throws(FieldFault) -> String {
        guard let milliseconds = Int64(exactly: property.roundedMilliseconds),
            ISO8601Text.range.contains(milliseconds)
        else {
            throw FieldFault(
                .range, wanted: "a date in the years 1 to 9999", value: .timestamp(property.timeIntervalSince1970))
        }
        return ISO8601Text.text(milliseconds)
    }
}

extension FieldConversion where Self == ISO8601Conversion {
    /// ``ISO8601Conversion``.
    public static var iso8601: Self { Self() }
}
