import SwiftSyntax

/// The code of one field.
extension StoredProperty {
    /// The last argument of a call that reads or writes the field: its conversion or its type.
    var form: String { conversion.map { "by: \($0)" } ?? "as: \(type.wrapped).self" }

    /// The expression of the field's state in `source`.
    var reading: String {
        "source.state(\(fieldName), \(form))" + (validation.map { ".validated(by: \($0))" } ?? "")
    }

    /// The expression of the property's value.
    /// - Parameter state: the expression of the field's state.
    func value(of state: String) -> String {
        guard type.isOptional else {
            let value = defaultValue.map { ", default: \($0)" } ?? ""
            return "try \(state).required(\(fieldName)\(value))"
        }
        guard let defaultValue else { return "try \(state).optional(\(fieldName))" }
        // The default may be optional itself, which `??` allows.
        return "try \(state).optional(\(fieldName)) ?? \(defaultValue.operand)"
    }

    /// The statements that write a value or a state of this field into `sink`.
    /// - Parameters:
    ///   - checked: the expression that is validated; by default that of the value.
    ///   - old: the expression of the old value, where only the difference is to be written.
    func writing(_ value: String, checked: String? = nil, insteadOf old: String? = nil) -> [String] {
        var lines: [String] = []
        if let validation {
            lines.append("try sink.validate(\(field.literal), \(checked ?? value), by: \(validation))")
        }
        // A property with a conversion is one field; a group may differ in some of its fields only.
        let more = conversion.map { ", by: \($0)" } ?? old.map { ", insteadOf: \($0)" } ?? ""
        return lines + ["try sink.write(\(field.literal), \(value)\(more))"]
    }
}

extension [StoredProperty] {
    /// The code of the type with the names of these fields.
    /// - Parameter owner: the access of the type that has the fields.
    func names(_ owner: Access) -> [String] {
        .block(
            "\(owner.ofMember)enum FieldNames",
            map { "\(owner.ofPart($0))static let \($0.name): \($0.fieldType) = \($0.field.literal)" })
    }

    /// The code of a type with these names that only their owner sees.
    var hiddenNames: [String] {
        .block(
            "private enum FieldNames",
            map { "static let \($0.name): ModelTypes.ModelField<Never> = \($0.field.literal)" })
    }
}

extension ExprSyntax {
    /// The expression as the operand of an operator.
    fileprivate var operand: String {
        let simple: [SyntaxKind] = [
            .functionCallExpr, .memberAccessExpr, .declReferenceExpr, .integerLiteralExpr, .floatLiteralExpr,
            .stringLiteralExpr, .booleanLiteralExpr, .arrayExpr, .dictionaryExpr,
        ]
        return simple.contains(kind) ? trimmedDescription : "(\(trimmedDescription))"
    }
}
