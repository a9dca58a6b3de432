/// What stands for an argument of ``Field(_:default:convert:validate:)`` that is left out. It is never called.
public struct Unspecified: FieldConversion, FieldValidation {
    public init() {}

    public func decode(_ wire: Bool) -> Bool { wire }
    public func encode(_ property: Bool) -> Bool { property }
    public var wanted: String { "anything" }
    public func accepts(_ value: Bool) -> Bool { true }
}
