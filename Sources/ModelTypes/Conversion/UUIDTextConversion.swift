import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.UUID
#else
    public import struct Foundation.UUID
#endif

/// A UUID as text, written in capital letters. A property of type `UUID` needs no conversion.
public struct UUIDTextConversion: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> UUID { try UUID(Value.text(wire)) }
    public func encode(_ property: UUID) throws(FieldFault) -> String { property.uuidString }
}

extension FieldConversion where Self == UUIDTextConversion {
    /// ``UUIDTextConversion``.
    public static var uuidText: Self { Self() }
}
