/// A conversion of a value that may be null, which is nil; see ``FieldConversion/optional``.
public struct OptionalConversion<Wrapped: FieldConversion>: FieldConversion {
    let wrapped: Wrapped

    public func decode(_ wire: Wrapped.Wire?) throws(FieldFault) -> Wrapped.Property? {
        guard let wire else { return nil }
        return try wrapped.decode(wire)
    }

    public func encode(_ property: Wrapped.Property?) throws(FieldFault) -> Wrapped.Wire? {
        guard let property else { return nil }
        return try wrapped.encode(property)
    }
}
