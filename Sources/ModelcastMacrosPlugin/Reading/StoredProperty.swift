import SwiftSyntax

/// A stored property of a model or a group.
struct StoredProperty {
    enum Role {
        case id
        case field
        case local
    }

    /// As it is written, backticks included.
    let name: String
    let type: PropertyType
    let role: Role
    let isConstant: Bool
    let access: Access
    /// The lines of its documentation.
    let documentation: [String]
    /// What it is unless told otherwise; never `nil`, which says nothing.
    let defaultValue: ExprSyntax?
    let conversion: ExprSyntax?
    let validation: ExprSyntax?
    /// The field's name on the wire.
    let field: String
    /// Where the field has its name from.
    let nameNode: Syntax

    /// Without backticks.
    var plainName: String { name.plainName }
    var label: String { name.label }
    /// Its nil may mean that nothing is known.
    var isTracked: Bool { role == .field && type.isOptional && defaultValue == nil }
    /// The name of the field, as a static property.
    var fieldName: String { "Names.\(name)" }

    /// The property where others of these names may be meant.
    func name(among locals: String...) -> String { locals.contains(plainName) ? "self.\(name)" : name }
}
