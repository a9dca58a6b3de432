import SwiftSyntax

/// A stored property of a model or a group.
struct StoredProperty {
    enum Role {
        case id
        case field
        case local
    }

    /// The name as it is written, backticks included.
    let name: String
    let type: PropertyType
    let role: Role
    let isConstant: Bool
    let access: Access
    /// The lines of its documentation.
    let documentation: [String]
    /// The value for a field that is unknown or null. A default `nil` is left out, because it adds nothing.
    let defaultValue: ExprSyntax?
    /// The default has the same value each time, as far as its text tells.
    let hasSteadyDefault: Bool
    let conversion: ExprSyntax?
    let validation: ExprSyntax?
    /// The field's name on the wire.
    let field: String
    /// The place from which the field has its name: an argument of `@Field` or the property's own name.
    let nameNode: Syntax
    /// A property wrapper may hold the value, so that no reflection finds it by the property's name.
    let isWrapped: Bool

    /// The name without backticks.
    var plainName: String { name.plainName }
    var label: String { name.label }
    /// True for a field whose nil, or whose default, may stand for one that was never read: the model tracks which. A
    /// default can be told from other values where it is the same each time. That of a constant is a value like any
    /// other, so that another one is refused whichever call it comes by.
    var isTracked: Bool {
        guard role == .field else { return false }
        return defaultValue == nil ? type.isOptional : hasSteadyDefault && !isConstant
    }
    /// The expression of the field's name.
    var fieldName: String { "FieldNames.\(name)._name" }
    /// The type of the field among the names: a constant that is always there can be neither observed nor asked for. A
    /// conversion makes one field of any type.
    var fieldType: String {
        isConstant && !type.isOptional
            ? "ModelTypes.ConstantField" : "ModelTypes.ModelField<\(conversion == nil ? typeName : "Swift.Never")>"
    }
    /// The alias by which generated code names the type of the property, without its `?`.
    var typeName: String { "FieldTypes.\(name)" }

    /// The expression of the property's conversion, if it has one.
    var conversionName: String? { conversion == nil ? nil : "FieldConversions.\(name)" }
    /// The expression of the property's validation, if it has one.
    var validationName: String? { validation == nil ? nil : "FieldChecks.\(name)" }

    /// An expression of the property's value, by the alias of its type.
    func typed(_ value: String) -> String { "\(value) as \(typeName)\(type.isOptional ? "?" : "")" }

    /// The expression of the property, in code that has local variables of these names.
    func name(among locals: String...) -> String { locals.contains(plainName) ? "self.\(name)" : name }
}
