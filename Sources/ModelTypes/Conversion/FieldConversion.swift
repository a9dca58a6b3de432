import ModelRecord

/// Converts the value of a field to that of a model's property, and back.
///
/// ```swift
/// struct Cents: FieldConversion {
///     func decode(_ cents: Int) -> Decimal { Decimal(cents) / 100 }
///     func encode(_ amount: Decimal) throws(FieldFault) -> Int { … }
/// }
/// ```
/// The two directions must agree: `decode(encode(x))` is `x`, for each `x` that can be encoded. A conversion is a value
/// without identity; it may be called often, and on any thread.
public protocol FieldConversion<Wire, Property>: Sendable {
    /// The type of the field's value.
    associatedtype Wire: FieldValue
    /// The type of the property.
    associatedtype Property: Hashable & Sendable

    /// Makes the property's value from that of the field.
    /// - Throws: ``FieldFault``; see ``FieldFault/init(_:wanted:)`` and ``fault(_:wanted:)``.
    func decode(_ wire: Wire) throws(FieldFault) -> Property
    /// Makes the field's value from that of the property.
    /// - Throws: ``FieldFault`` for a value that has no encoding.
    func encode(_ property: Property) throws(FieldFault) -> Wire
}

extension FieldConversion {
    /// The fault of a value that is of the right kind but has the wrong form.
    public func fault(_ wire: Wire, wanted: String) -> FieldFault {
        FieldFault(.form, wanted: wanted, value: (try? wire.encoded()) ?? .null)
    }

    /// This conversion, followed by another one on its result.
    public func then<Next: FieldConversion>(_ next: Next) -> ChainedConversion<Self, Next>
    where Property == Next.Wire {
        ChainedConversion(first: self, second: next)
    }

    /// This conversion for each element of an array.
    public var elements: ElementsConversion<Self> { ElementsConversion(element: self) }

    /// This conversion for a value that may be null, which is nil.
    public var optional: OptionalConversion<Self> { OptionalConversion(wrapped: self) }
}
