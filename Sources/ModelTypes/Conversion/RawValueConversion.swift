/// A case of an enum as its raw value, for an enum that does not conform to ``FieldValue``.
public struct RawValueConversion<Property>: FieldConversion
where Property: RawRepresentable & Hashable & Sendable, Property.RawValue: FieldValue {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: Property.RawValue) throws(FieldFault) -> Property {
        guard let known = Property(rawValue: wire) else { throw fault(wire, wanted: "a case of \(Property.self)") }
        return known
    }

    public func encode(_ property: Property) throws(FieldFault) -> Property.RawValue { property.rawValue }
}

extension FieldConversion {
    /// ``RawValueConversion``.
    public static func rawValue<Known>(_ type: Known.Type) -> Self where Self == RawValueConversion<Known> { Self() }
}
