/// The conversion of a type that cannot be converted, of which there is no value: `.json` and `.structured` of a type
/// that is not `Codable` are this one, so that the compiler says in one error what is missing.
public enum UnencodableConversion<Property: Hashable & Sendable>: FieldConversion {
    public func decode(_ wire: String) throws(FieldFault) -> Property { switch self {} }
    public func encode(_ property: Property) throws(FieldFault) -> String { switch self {} }
}

extension FieldConversion {
    /// The error of a type that ``JSONTextConversion`` cannot convert.
    @available(*, unavailable, message: "only a type that is Codable can be converted to JSON")
    @_disfavoredOverload
    public static func json<Content>(_ type: Content.Type) -> Self where Self == UnencodableConversion<Content> {
        preconditionFailure("what the compiler refuses is not called")
    }

    /// The error of a type that ``StructuredConversion`` cannot convert.
    @available(*, unavailable, message: "only a type that is Codable can be converted to a map or an array")
    @_disfavoredOverload
    public static func structured<Content>(_ type: Content.Type) -> Self where Self == UnencodableConversion<Content> {
        preconditionFailure("what the compiler refuses is not called")
    }
}
