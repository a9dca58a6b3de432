public import ModelRecord

/// An integer, or its decimal text: for publishers that write either.
///
/// What was read as text is written as an integer, so the field becomes one with the next write.
public struct IntOrTextConversion: FieldConversion {
    public init() {}

    public func decode(_ wire: Value) throws(FieldFault) -> Int64 {
        switch wire {
        case .int(let int): return int
        case .text(let text):
            guard let int = Int64(text) else { throw fault(wire, wanted: "an integer, or its decimal text") }
            return int
        default: throw FieldFault(wire, wanted: "an integer, or its decimal text")
        }
    }

    public func encode(_ property: Int64) throws(FieldFault) -> Value { .int(property) }
}

/// The case of an enum by its raw value: for an enum that does not say ``FieldValue`` itself.
public struct RawValueConversion<Property>: FieldConversion
where Property: RawRepresentable & Hashable & Sendable, Property.RawValue: FieldValue {
    public init() {}

    public func decode(_ wire: Property.RawValue) throws(FieldFault) -> Property {
        guard let known = Property(rawValue: wire) else { throw fault(wire, wanted: "a case of \(Property.self)") }
        return known
    }

    public func encode(_ property: Property) throws(FieldFault) -> Property.RawValue { property.rawValue }
}

extension FieldConversion where Self == IntOrTextConversion {
    /// ``IntOrTextConversion``.
    public static var intOrText: Self { Self() }
}

extension FieldConversion {
    /// ``RawValueConversion``.
    public static func rawValue<Known>(_ type: Known.Type) -> Self where Self == RawValueConversion<Known> { Self() }
}
