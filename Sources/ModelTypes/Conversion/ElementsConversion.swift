/// A conversion of each element of an array; see ``FieldConversion/elements``.
public struct ElementsConversion<Element: FieldConversion>: FieldConversion {
    let element: Element

    public func decode(_ wire: [Element.Wire]) throws(FieldFault) -> [Element.Property] {
        try wire.map { value throws(FieldFault) in try element.decode(value) }
    }

    public func encode(_ property: [Element.Property]) throws(FieldFault) -> [Element.Wire] {
        try property.map { value throws(FieldFault) in try element.encode(value) }
    }
}
