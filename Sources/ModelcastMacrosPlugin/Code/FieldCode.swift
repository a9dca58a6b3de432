import SwiftSyntax

/// The code of one field.
extension StoredProperty {
    /// The last argument of a call that reads or writes the field: its conversion or its type.
    var form: String { conversionName.map { "by: \($0)" } ?? "as: \(typeName).self" }

    /// The last argument of a call that needs to be told a conversion only, with the comma before it.
    private var byConversion: String { conversionName.map { ", by: \($0)" } ?? "" }

    /// The expression of the field's state in `source`.
    var reading: String {
        "source.state(\(fieldName), \(form))" + (validationName.map { ".validated(by: \($0))" } ?? "")
    }

    /// The expression of the property's value.
    /// - Parameter state: the expression of the field's state.
    func value(of state: String) -> String {
        guard let defaultValue else { return "try \(state).\(type.isOptional ? "optional" : "required")(\(fieldName))" }
        // The default may be optional itself, which `??` allows. Of an optional property it does not stand for null.
        return "try \(state).\(type.isOptional ? "ifKnown" : "optional")(\(fieldName)) ?? \(defaultValue.operand)"
    }

    /// The expression of the property's value, where no field has a problem.
    /// - Parameter state: the expression of the field's state.
    func foundValue(of state: String) -> String {
        guard let defaultValue else { return type.isOptional ? "\(state).value" : "\(state).found" }
        return "\(state).\(type.isOptional ? "ifKnown" : "value") ?? \(defaultValue.operand)"
    }

    /// The arguments that tell whether the property still is what stands for a field that was never read.
    func unread(_ value: String) -> String {
        defaultValue.map { "\(typed(value)), unlike: \($0.trimmedDescription)" } ?? value
    }

    /// The statements that write the property or its state into `sink`.
    /// - Parameters:
    ///   - value: the expression of the value or of the state.
    ///   - checked: the expression that is validated.
    ///   - condition: the expression that is true where nothing is to be written.
    func putting(_ value: String, checked: String, unless condition: String? = nil) -> [String] {
        let unless = condition.map { ", unless: \($0)" } ?? ""
        // A default that was never read, and is not written, need not be valid; nil is valid.
        let validating = validationName.map { name in
            let call = "try sink.validate(\(field.literal), \(checked), by: \(name))"
            guard defaultValue != nil, let condition else { return call }
            return "if !\(condition) { \(call) }"
        }
        return [validating].compactMap(\.self) + ["sink.put(\(field.literal), \(value)\(unless)\(byConversion))"]
    }

    /// The statements that write the property into `diff` if it differs from that of `old`.
    /// - Parameter place: its index among the properties.
    func comparing(at place: Int) -> [String] {
        let (value, old) = (name(among: "old", "diff"), "old.\(name)")
        let at = isTracked ? ", at: \(place)" : ""
        let comparing = "diff.compare(\(field.literal), \(operand(value)), \(old)\(at)\(byConversion))"
        guard let validationName else { return [comparing] }
        let validating = "try diff.validate(\(field.literal), \(value), by: \(validationName))"
        return .block("if ModelTypes.FieldRule.differ(\(typed(value)), \(old))", [validating]) + [comparing]
    }

    /// An expression of the property's value as an argument: where there is a conversion, that names the type.
    func operand(_ value: String) -> String { conversion == nil ? typed(value) : value }
}

extension [String] {
    /// The statement behind those that put these fields.
    static func checkProblem(_ fields: [StoredProperty]) -> [String] {
        fields.isEmpty ? [] : ["try sink.checkProblem()"]
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

    /// The code of what names the types, the conversions and the validations of these fields, each once: an error about
    /// one of them stands here, and nowhere else.
    /// - Parameters:
    ///   - modifier: that of the type with the aliases.
    ///   - owner: the access of the type that has the fields.
    func declarations(_ modifier: String, _ owner: Access) -> [[String]] {
        let conversions = compactMap { field in field.conversion.map { rule("conversion", of: field, $0) } }
        let validations = compactMap { field in field.validation.map { rule("validation", of: field, $0) } }
        var declarations = [types(modifier, owner)]
        if !conversions.isEmpty { declarations.append(.block("private enum FieldConversions", conversions)) }
        if !validations.isEmpty { declarations.append(.block("private enum FieldChecks", validations)) }
        return declarations
    }

    private func rule(_ kind: String, of field: StoredProperty, _ expression: ExprSyntax) -> String {
        "static let \(field.name) = ModelTypes.FieldRule.\(kind)(of: \(field.typeName).self, by: \(expression))"
    }

    /// The code of the aliases of the types of these fields. The compiler shows an error with the line before it.
    private func types(_ modifier: String, _ owner: Access) -> [String] {
        let hint = "// Fields are scalars, @FieldValue, @Nested, @OneOf, arrays and maps; other types take convert:."
        let aliases = flatMap { field in
            let isConverted = field.conversion != nil
            let isPlain = isConverted || field.type.isSeenByAll
            let role =
                "ModelTypes.\(isConverted ? "ConvertedOf" : "FieldOf")"
                + "<\(isPlain ? field.type.wrapped : field.type.checked)>"
            let alias = "\(owner.ofPart(field))typealias \(field.name) = \(role)"
            return isPlain ? [alias] : [hint, alias]
        }
        return .block("\(modifier)enum FieldTypes", aliases)
    }

    /// The code of a type with these names that only their owner sees.
    var hiddenNames: [String] {
        .block(
            "private enum FieldNames",
            map { "static let \($0.name): ModelTypes.ModelField<Swift.Never> = \($0.field.literal)" })
    }
}

extension ExprSyntax {
    /// False for an expression that has another value each time, as far as its text tells: `Date()`, `UUID()`, `.now`,
    /// `.random(in: 1...6)`; and for one that is not equal to itself.
    var isSteady: Bool {
        !trimmedDescription.contains(/\b(?:Date|UUID)(?:\.init)?\(\)|\.(?:now|random\w*|nan)\b/)
    }

    /// The expression as the operand of an operator.
    fileprivate var operand: String {
        let simple: [SyntaxKind] = [
            .functionCallExpr, .memberAccessExpr, .declReferenceExpr, .integerLiteralExpr, .floatLiteralExpr,
            .stringLiteralExpr, .booleanLiteralExpr, .arrayExpr, .dictionaryExpr,
        ]
        return simple.contains(kind) ? trimmedDescription : "(\(trimmedDescription))"
    }
}
