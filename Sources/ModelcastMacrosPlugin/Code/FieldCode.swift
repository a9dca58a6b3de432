import SwiftSyntax

/// The code of one field.
extension StoredProperty {
    /// How it is read and written: the last argument of a call.
    var form: String { conversion.map { "by: \($0)" } ?? "as: \(type.wrapped).self" }

    /// The expression of what `source` knows of it.
    var reading: String {
        "source.state(\(fieldName), \(form))" + (validation.map { ".validated(by: \($0))" } ?? "")
    }

    /// The expression of the property's value.
    /// - Parameter state: that of what is known of it.
    func value(of state: String) -> String {
        guard type.isOptional else {
            let value = defaultValue.map { ", default: \($0)" } ?? ""
            return "try \(state).required(\(fieldName)\(value))"
        }
        guard let defaultValue else { return "try \(state).optional(\(fieldName))" }
        // The default may be an optional one itself.
        return "try \(state).optional(\(fieldName)) ?? \(defaultValue.operand)"
    }

    /// The statements that write a value or a state of this field into `sink`.
    /// - Parameters:
    ///   - checked: what is validated; the same, unless told otherwise.
    ///   - old: what it differs from, where only the difference is to be written.
    func writing(_ value: String, checked: String? = nil, insteadOf old: String? = nil) -> [String] {
        var lines: [String] = []
        if let validation {
            lines.append("try sink.validate(\(field.literal), \(checked ?? value), by: \(validation))")
        }
        // What has a conversion is one field; a group may differ in some of its fields.
        let more = conversion.map { ", by: \($0)" } ?? old.map { ", insteadOf: \($0)" } ?? ""
        return lines + ["try sink.write(\(field.literal), \(value)\(more))"]
    }
}

extension [StoredProperty] {
    /// The type with the names of these fields.
    var names: [String] {
        .block("private enum Names", map { "static let \($0.name): FieldName = \($0.field.literal)" })
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
