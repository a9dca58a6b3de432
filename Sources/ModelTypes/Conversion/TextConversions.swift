import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.URL
    public import struct FoundationEssentials.UUID
#else
    public import struct Foundation.URL
    public import struct Foundation.UUID
#endif

/// A URL as text. A property of type `URL` needs no conversion; this is for publishers that know no URIs.
public struct URLTextConversion: FieldConversion {
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> URL { try URL(Value.text(wire)) }
    public func encode(_ property: URL) throws(FieldFault) -> String { property.absoluteString }
}

/// A UUID as text, written in capital letters. A property of type `UUID` needs no conversion.
public struct UUIDTextConversion: FieldConversion {
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> UUID { try UUID(Value.text(wire)) }
    public func encode(_ property: UUID) throws(FieldFault) -> String { property.uuidString }
}

/// Texts in one, with commas between them; no text is none. An element may not have a comma in it, nor be empty and
/// alone.
public struct CommaSeparatedConversion: FieldConversion {
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> [String] {
        wire.isEmpty ? [] : wire.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    public func encode(_ property: [String]) throws(FieldFault) -> String {
        guard property != [""], !property.contains(where: { $0.contains(",") }) else {
            throw FieldFault(
                .form, wanted: "texts without commas, and more than a single empty one",
                value: .array(property.map { .text($0) }))
        }
        return property.joined(separator: ",")
    }
}

extension FieldConversion where Self == URLTextConversion {
    /// ``URLTextConversion``.
    public static var urlText: Self { Self() }
}

extension FieldConversion where Self == UUIDTextConversion {
    /// ``UUIDTextConversion``.
    public static var uuidText: Self { Self() }
}

extension FieldConversion where Self == CommaSeparatedConversion {
    /// ``CommaSeparatedConversion``.
    public static var commaSeparated: Self { Self() }
}
