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

    /// The index of a property in ``properties``.
    static func place(of keyPath: PartialKeyPath<Self>) -> Int {
        guard let place = properties.firstIndex(where: { $0.keyPath == keyPath }) else {
            preconditionFailure(
                "\(keyPath) is no field of \(Self.self): name a stored property, and of a nested struct the whole")
        }
        return place
    }

    /// The wire name of the field that a property stands for. Traps for a property that is not in ``properties``, such
    /// as a computed one.
    /// - Complexity: O(*properties*)
    public static func field(of keyPath: PartialKeyPath<Self>) -> FieldName { properties[place(of: keyPath)].field }

    /// True when the property's field has a value or is known to be empty; false when it is unknown. Tells apart the
    /// two meanings of nil.
    /// - Complexity: O(*properties*)
    public func knows(_ keyPath: PartialKeyPath<Self>) -> Bool { !unknownFields.contains(Self.place(of: keyPath)) }
}
