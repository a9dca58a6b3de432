import SwiftSyntax

/// The kind of a literal, which tells types that it cannot be of.
enum LiteralKind {
    case text, integer, decimal, truth, array, dictionary

    /// The kind of an expression; nil for one that is no literal.
    init?(_ expression: ExprSyntax) {
        let number = expression.as(PrefixOperatorExprSyntax.self).map { $0.operator.text == "-" ? $0.expression : nil }
        switch (number.flatMap(\.self) ?? expression).kind {
        case .stringLiteralExpr: self = .text
        case .integerLiteralExpr: self = .integer
        case .floatLiteralExpr: self = .decimal
        case .booleanLiteralExpr: self = .truth
        case .arrayExpr: self = .array
        case .dictionaryExpr: self = .dictionary
        default: return nil
        }
    }

    /// The well-known types that a literal of this kind can be of.
    private var types: Set<String> {
        switch self {
        case .text: ["String", "Character", "Substring"]
        case .integer: LiteralKind.integers.union(LiteralKind.decimals)
        case .decimal: LiteralKind.decimals
        case .truth: ["Bool"]
        case .array, .dictionary: []
        }
    }

    private static let integers: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    ]
    private static let decimals: Set = ["Double", "Float", "Float16", "Float80", "Decimal", "CGFloat"]
    /// Without those of Foundation to which projects give literals: `URL`, `Date`.
    private static let known = integers.union(decimals).union(["Bool", "String", "Character", "Substring"])

    /// A literal of this kind is never of a type, as far as the type's spelling tells.
    func isOther(than type: TypeSyntax) -> Bool {
        let type = type.optionalWrapped ?? type
        if type.bare.is(ArrayTypeSyntax.self) { return self != .array }
        if type.bare.is(DictionaryTypeSyntax.self) { return self != .dictionary }
        let name = type.bare.trimmedDescription.lastName
        // A type of the user's own may take any literal.
        return LiteralKind.known.contains(name) && !types.contains(name)
    }
}

extension ExprSyntax {
    /// The expression is a literal that is never of this type.
    func isOther(than type: TypeSyntax) -> Bool { LiteralKind(self)?.isOther(than: type) ?? false }
}
