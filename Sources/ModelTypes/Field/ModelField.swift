public import ModelRecord

/// A field of a model or of a group, for the Swift type of its property.
///
/// A model has one for each of its fields, in a type of names that `@Model` writes. By hand:
///
/// ```swift
/// enum FieldNames {
///     static let nickName: ModelField<String> = "nick_name"
///     static let age: ModelField<Int> = "age"
/// }
/// ```
/// A key path to one of them names the field: `models.changes(of: \.nickName)`, `user.knows(\.age)`. A computed
/// property, an id or a property of another model is not among the names, so such a path does not compile. Where
/// `Value` is a group (``FieldGroup``), the path may go on to a field of the group: `\.address.city`.
///
/// `Value` is the type of the property without its `?`, and `Never` for a property with a conversion.
@dynamicMemberLookup
public struct ModelField<Value>: ObservableField, ExpressibleByStringLiteral {
    public let _name: FieldName

    /// The field with this name on the wire.
    public init(stringLiteral name: String) { _name = FieldName(name) }
}

extension ModelField where Value: FieldGroup {
    /// A field of the group.
    public subscript<Part>(
        dynamicMember part: KeyPath<Value.FieldNames.Type, ModelField<Part>>
    ) -> NestedField<Part> {
        NestedField(part, of: Value.self, within: _name)
    }
}
