/// The stand-in for an argument of ``Field(_:default:convert:validate:)`` that is left out. Nothing calls it.
public struct Unspecified: FieldConversion, FieldValidation {
    /// A stand-in.
    public init() {}

    /// The same value.
    public func decode(_ wire: Bool) -> Bool { wire }
    /// The same value.
    public func encode(_ property: Bool) -> Bool { property }
    /// A word for any value.
    public var wanted: String { "anything" }
    /// Accepts every value.
    public func accepts(_ value: Bool) -> Bool { true }
}
