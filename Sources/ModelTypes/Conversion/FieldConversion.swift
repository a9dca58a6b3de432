import ModelRecord

/// Turns what a field holds into what a model's property is, and back.
///
/// ```swift
/// struct Cents: FieldConversion {
///     func decode(_ cents: Int) -> Decimal { Decimal(cents) / 100 }
///     func encode(_ amount: Decimal) throws(FieldFault) -> Int { … }
/// }
/// ```
/// Both directions must fit: `decode(encode(x))` is `x`, for each `x` that can be encoded. Conversions are values
/// without identity; they may be called on any thread, and often.
public protocol FieldConversion<Wire, Property>: Sendable {
    /// What the field holds.
    associatedtype Wire: FieldValue
    /// What the property is.
    associatedtype Property: Hashable & Sendable

    /// - Throws: ``FieldFault``; see ``FieldFault/init(_:wanted:)`` and ``fault(_:wanted:)``.
    func decode(_ wire: Wire) throws(FieldFault) -> Property
    func encode(_ property: Property) throws(FieldFault) -> Wire
}

extension FieldConversion {
    /// The fault of a value that is of the right kind, but no such thing.
    public func fault(_ wire: Wire, wanted: String) -> FieldFault {
        FieldFault(.form, wanted: wanted, value: (try? wire.encoded()) ?? .null)
    }

    /// First this conversion, then another on its result.
    public func then<Next: FieldConversion>(_ next: Next) -> ChainedConversion<Self, Next>
    where Property == Next.Wire {
        ChainedConversion(first: self, second: next)
    }

    /// The same for each element of an array.
    public var elements: ElementsConversion<Self> { ElementsConversion(element: self) }

    /// The same where there is something; null is nil.
    public var optional: OptionalConversion<Self> { OptionalConversion(wrapped: self) }
}
