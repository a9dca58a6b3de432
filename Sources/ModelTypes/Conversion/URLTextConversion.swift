import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.URL
#else
    public import struct Foundation.URL
#endif

/// A URL as text, for publishers that do not know URIs. A property of type `URL` needs no conversion.
public struct URLTextConversion: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> URL { try URL(Value.text(wire)) }
    public func encode(_ property: URL) throws(FieldFault) -> String { property.absoluteString }
}

extension FieldConversion where Self == URLTextConversion {
    /// ``URLTextConversion``.
    public static var urlText: Self { Self() }
}
