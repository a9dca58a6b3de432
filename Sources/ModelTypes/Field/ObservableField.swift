public import ModelRecord

/// A field whose changes can be observed: what a key path such as `\.nickName` or `\.address.city` leads to, where an
/// observer takes one.
///
/// These are a field of a model (``ModelField``) and a field within one of its groups (``NestedField``).
public protocol ObservableField: Sendable {
    /// The field's full name on the wire. For generated code and this library: the underscore keeps it apart from the
    /// fields of a group.
    var _name: FieldName { get }
}
