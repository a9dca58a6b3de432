public import ModelRecord

/// A field of a model that is always there and never changes: that of a property with `@Constant` that is not optional.
///
/// There is nothing to observe, and nothing to ask: `changes(of:)` and `knows(_:)` do not take it. An optional constant
/// may still get its value, so it is a ``ModelField``.
public struct ConstantField: Sendable, ExpressibleByStringLiteral {
    /// The field's name on the wire. For generated code.
    public let _name: FieldName

    /// The field with this name on the wire.
    public init(stringLiteral name: String) { _name = FieldName(name) }
}
