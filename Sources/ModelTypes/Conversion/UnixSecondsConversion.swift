#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.Date
#else
    public import struct Foundation.Date
#endif

/// A date as seconds since 1970: read from an integer or a double, written as a double.
public struct UnixSecondsConversion: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: Double) throws(FieldFault) -> Date { Date(timeIntervalSince1970: wire) }
    public func encode(_ property: Date) throws(FieldFault) -> Double { property.timeIntervalSince1970 }
}

extension FieldConversion where Self == UnixSecondsConversion {
    /// ``UnixSecondsConversion``.
    public static var unixSeconds: Self { Self() }
}
