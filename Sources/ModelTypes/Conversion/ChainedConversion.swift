/// Two conversions, one after the other; see ``FieldConversion/then(_:)``.
public struct ChainedConversion<First: FieldConversion, Second: FieldConversion>: FieldConversion
where First.Property == Second.Wire {
    let first: First
    let second: Second

    public func decode(_ wire: First.Wire) throws(FieldFault) -> Second.Property {
        try second.decode(first.decode(wire))
    }

    public func encode(_ property: Second.Property) throws(FieldFault) -> First.Wire {
        try first.encode(second.encode(property))
    }
}
