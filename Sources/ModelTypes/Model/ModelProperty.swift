public import ModelRecord

/// A property of a Swift type and the field that it stands for.
public struct ModelProperty<Root>: Sendable {
    /// The property.
    public let keyPath: any PartialKeyPath<Root> & Sendable
    /// The field's name on the wire.
    public let field: FieldName
    /// True when the field never changes once it has a value.
    public let isConstant: Bool

    /// The property at `keyPath`, which stands for `field`.
    public init(_ keyPath: any PartialKeyPath<Root> & Sendable, _ field: FieldName, isConstant: Bool = false) {
        (self.keyPath, self.field, self.isConstant) = (keyPath, field, isConstant)
    }
}

extension Model {
    /// The property with this key path, if it stands for a field.
    package static func property(of keyPath: PartialKeyPath<Self>) -> ModelProperty<Self>? {
        properties.first { $0.keyPath == keyPath }
    }

    /// True when a property has the same value in both models; nil when its values cannot be compared.
    package func isEqual(to other: Self, at keyPath: PartialKeyPath<Self>) -> Bool? {
        guard let mine = self[keyPath: keyPath] as? AnyHashable, let theirs = other[keyPath: keyPath] as? AnyHashable
        else { return nil }
        return mine == theirs
    }

    /// The name on the wire of the field that a key path leads to.
    public static func field<Field: ObservableField>(of path: KeyPath<FieldNames.Type, Field>) -> FieldName {
        FieldNames.self[keyPath: path]._name
    }

    /// True when the field has a value or is known to be empty; false when it is unknown. Tells apart the two meanings
    /// of nil. Takes the fields of the model itself: a group is known or unknown as a whole.
    /// - Complexity: O(*properties*)
    public func knows<Value>(_ field: KeyPath<FieldNames.Type, ModelField<Value>>) -> Bool {
        let name = Self.field(of: field)
        // A model that keeps no account of a field knows what it holds.
        guard let place = Self.properties.firstIndex(where: { $0.field == name }) else { return true }
        return !unknownFields.contains(place)
    }
}
