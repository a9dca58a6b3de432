import SwiftDiagnostics
import SwiftSyntax

/// Fix-its for models and groups.
extension FixIt {
    /// Inserts the type of a property: that of its value, where the value is a literal.
    static func insertType(after pattern: IdentifierPatternSyntax, of value: InitializerClauseSyntax?) -> FixIt {
        let type =
            switch value?.value.kind {
            case .booleanLiteralExpr: "Bool"
            case .integerLiteralExpr: "Int"
            case .floatLiteralExpr: "Double"
            case .stringLiteralExpr: "String"
            default: "<#Type#>"
            }
        return insert(": \(type)", after: pattern)
    }

    /// Gives a model an id: marks the property `id`, or declares a new one.
    static func addID(to members: MemberBlockSyntax) -> FixIt {
        for member in members.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.kind == .stored,
                variable.bindings.first?.pattern.trimmedDescription == "id"
            else { continue }
            return insert("@ID ", before: variable, "mark 'id' with @ID")
        }
        return addMember("@ID let id: String", to: members)
    }

    /// Inserts a declaration as the first member.
    static func addMember(_ declaration: String, to members: MemberBlockSyntax) -> FixIt {
        guard let first = members.members.first, first.leadingTrivia.contains(where: \.isNewline) else {
            let end = members.members.isEmpty ? " " : ";"
            return insert(" \(declaration)\(end)", after: members.leftBrace, "insert '\(declaration)'")
        }
        let indentation = first.leadingTrivia.reversed().prefix { $0.isSpaceOrTab }.map { "\($0)" }.joined()
        return insert("\n\(indentation)\(declaration)", after: members.leftBrace, "insert '\(declaration)'")
    }

    /// Turns a group into a `FieldValue`, for an enum with raw values; nil for an enum that inherits nothing.
    static func useFieldValue(_ attribute: AttributeSyntax, after inherited: [TypeSyntax]) -> FixIt? {
        guard let last = inherited.last else { return nil }
        let names = inherited.map(\.trimmedDescription)
        let says = names.contains("FieldValue") ? [] : [insert(", FieldValue", after: last)]
        let changes = [remove(attribute)] + says
        return FixIt(message: ModelFixIt("useFieldValue", "use FieldValue"), changes: changes.flatMap(\.changes))
    }

    /// Turns the initial value of a `let` into the default of `@Field`, so that the property can have other values. Nil
    /// for a property whose declaration names no type.
    static func useDefault(
        _ variable: VariableDeclSyntax, _ value: InitializerClauseSyntax, _ field: AttributeSyntax?
    ) -> FixIt? {
        guard let binding = variable.bindings.first, let type = binding.typeAnnotation?.type else { return nil }
        // The compiler looks at the attribute alone, which does not tell the type of `.red`.
        let text = value.value.trimmedDescription
        let argument = "default: \(text.hasPrefix(".") ? PropertyType(type).wrapped : "")\(text)"
        var arguments = (field?.arguments?.as(LabeledExprListSyntax.self) ?? []).map {
            (isName: $0.label == nil, text: $0.with(\.trailingComma, nil).trimmedDescription)
        }
        arguments.insert((false, argument), at: arguments.first?.isName == true ? 1 : 0)
        let attribute = "@Field(\(arguments.map(\.text).joined(separator: ", ")))"
        let changes: [FixIt] = [
            field.map { change($0, to: attribute) } ?? insert(attribute + " ", before: variable.bindingSpecifier),
            remove(value),
        ]
        return FixIt(
            message: ModelFixIt("useDefault", "give the value as \(attribute)"), changes: changes.flatMap(\.changes))
    }
}
