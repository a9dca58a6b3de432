/// A value of any `Codable` type as a map or an array; ``JSONTextConversion`` makes a text of it.
///
/// The wire type is ``Structured``, which says what the parts are. A struct of your own with `@FieldValue` needs no
/// conversion.
public struct StructuredConversion<Property: Codable & Hashable & Sendable>: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: Structured<Property>) throws(FieldFault) -> Property { wire.content }
    public func encode(_ property: Property) throws(FieldFault) -> Structured<Property> {
        Structured(content: property)
    }
}

extension FieldConversion {
    /// ``StructuredConversion``.
    public static func structured<Content>(_ type: Content.Type) -> Self
    where Self == StructuredConversion<Content> { Self() }
}
