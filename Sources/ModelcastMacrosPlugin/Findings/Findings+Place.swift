import SwiftSyntax

/// What holds of every type and its members, wherever they stand.
extension Findings {
    /// A type has one form on the wire, which no generic one has, and an extension that says what it is.
    /// - Parameter context: what it stands in, innermost first.
    mutating func checkPlace(
        of declaration: some WithGenericParametersSyntax & NamedDeclSyntax & WithModifiersSyntax,
        within context: [Syntax], _ subject: Subject
    ) {
        let hiding = declaration.modifiers.first { $0.name.tokenKind == .keyword(.private) }
        if let hiding, !context.isEmpty {
            report(.hidden, at: hiding, .change(hiding.name, to: "fileprivate"))
        }
        if let generics = declaration.genericParameterClause {
            report(.generic(subject), at: generics)
        } else if context.contains(where: \.isGeneric) {
            report(.withinGeneric(subject), at: declaration.name)
        }
    }

    /// What stands within `#if` is not seen.
    mutating func checkConditional(
        _ condition: IfConfigDeclSyntax, _ subject: Subject, where counts: (DeclSyntax) -> Bool
    ) {
        for clause in condition.clauses {
            for member in clause.elements?.as(MemberBlockItemListSyntax.self) ?? [] {
                if let inner = member.decl.as(IfConfigDeclSyntax.self) {
                    checkConditional(inner, subject, where: counts)
                } else if counts(member.decl) {
                    report(.conditional(subject), at: member.decl)
                }
            }
        }
    }
}

extension Syntax {
    fileprivate var isGeneric: Bool {
        self.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
}
