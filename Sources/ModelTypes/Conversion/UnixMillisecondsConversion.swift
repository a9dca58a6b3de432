import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.Date
#else
    public import struct Foundation.Date
#endif

/// A date as milliseconds since 1970, an integer. A finer fraction is rounded.
public struct UnixMillisecondsConversion: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: Int64) throws(FieldFault) -> Date {
        Date(timeIntervalSince1970: Double(wire) / 1000)
    }

    public func encode(_ property: Date) throws(FieldFault) -> Int64 {
        guard let milliseconds = Int64(exactly: property.roundedMilliseconds) else {
            throw FieldFault(
                .range, wanted: "a date in the range of 64 bits of milliseconds",
                value: .timestamp(property.timeIntervalSince1970))
        }
        return milliseconds
    }
}

extension FieldConversion where Self == UnixMillisecondsConversion {
    /// ``UnixMillisecondsConversion``.
    public static var unixMilliseconds: Self { Self() }
}

extension Date {
    /// Milliseconds since 1970.
    var roundedMilliseconds: Double { (timeIntervalSince1970 * 1000).rounded() }
}
