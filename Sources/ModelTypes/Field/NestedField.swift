public import ModelRecord

/// A field within a group of a model: what `\.address.city` leads to. A group within a group goes on in the same way.
@dynamicMemberLookup
public struct NestedField<Value>: ObservableField {
    public let _name: FieldName

    /// - Parameter group: the full name of the group.
    init<Group: FieldGroup>(
        _ part: KeyPath<Group.FieldNames.Type, ModelField<Value>>, of type: Group.Type, within group: FieldName
    ) {
        _name = FieldName(FieldName.path(group.text, Group.FieldNames.self[keyPath: part]._name.text))
    }
}

extension NestedField where Value: FieldGroup {
    /// A field of the group.
    public subscript<Part>(
        dynamicMember part: KeyPath<Value.FieldNames.Type, ModelField<Part>>
    ) -> NestedField<Part> {
        NestedField<Part>(part, of: Value.self, within: _name)
    }
}
