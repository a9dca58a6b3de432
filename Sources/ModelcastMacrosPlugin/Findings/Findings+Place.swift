import SwiftDiagnostics
import SwiftSyntax

/// Checks of the place in which a type or its members stand.
extension Findings {
    /// Reports a type that is generic or stands within a generic one, because a type has one form on the wire. Reports
    /// a private type within another as well, because its own extension cannot see it, and one that is bound to an
    /// actor.
    /// - Parameter context: the declarations around the type, innermost first.
    mutating func checkPlace(
        of declaration: some WithGenericParametersSyntax & NamedDeclSyntax & WithModifiersSyntax & WithAttributesSyntax,
        within context: [Syntax], _ subject: Subject
    ) {
        let hiding = declaration.modifiers.first { $0.name.tokenKind == .keyword(.private) }
        if let hiding, !context.isEmpty {
            report(.hidden, at: hiding, .change(hiding.name, to: "fileprivate"))
        }
        let macros = declaration.attributes.compactMap { element -> (Subject, AttributeSyntax)? in
            guard case .attribute(let attribute) = element else { return nil }
            return Subject(rawValue: attribute.attributeName.trimmedDescription.lastName).map { ($0, attribute) }
        }
        if macros.count > 1 {
            report(.twoMacros(macros[0].0, macros[1].0), at: macros[1].1, .remove(macros[1].1))
        }
        for case .attribute(let attribute) in declaration.attributes
        where attribute.attributeName.trimmedDescription.lastName == "MainActor" {
            report(.isolated("@MainActor", subject), at: attribute, .remove(attribute))
        }
        if let generics = declaration.genericParameterClause {
            report(.generic(subject), at: generics)
        } else if context.contains(where: \.isGeneric) {
            report(.withinGeneric(subject), at: declaration.name)
        }
    }

    /// Reports keys of the user's own, which would have no effect, and types with the names of generated ones.
    /// - Parameter hasConstants: the struct has properties that never change.
    mutating func checkNestedType(_ member: DeclSyntax, _ subject: Subject, hasConstants: Bool = false) {
        let name: TokenSyntax? =
            switch member.as(DeclSyntaxEnum.self) {
            case .enumDecl(let declaration): declaration.name
            case .structDecl(let declaration): declaration.name
            case .typeAliasDecl(let declaration): declaration.name
            case .classDecl(let declaration): declaration.name
            case .actorDecl(let declaration): declaration.name
            default: nil
            }
        guard let name else { return }
        if name.text == "CodingKeys" { report(.codingKeys(subject), at: name) }
        let generated = subject.generatedTypes.union(subject == .model && hasConstants ? ["Constants"] : [])
        if generated.contains(name.text) { report(.reservedType(name.text), at: name) }
    }

    /// Reports an `==` of the user's own that would have no effect: the compiler looks for none where only a macro says
    /// that the type is `Equatable`.
    mutating func checkEquality(of declaration: some DeclGroupSyntax & NamedDeclSyntax) {
        let known: Set = ["Equatable", "Hashable", "Comparable", "FieldGroup", "FieldValue", "StructuredValue"]
        let inherited = declaration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        if inherited.contains(where: { known.contains($0.trimmedDescription.lastName) }) { return }
        for member in declaration.memberBlock.members {
            guard let function = member.decl.as(FunctionDeclSyntax.self), function.name.text == "==" else { continue }
            let fix = inherited.last.map { FixIt.insert(", Hashable", after: $0) }
            report(.unusedEquality, at: function.name, fix ?? .insert(": Hashable", after: declaration.name))
        }
    }

    /// Reports an `==` of the user's own in a struct whose hash is generated: equal values need equal hashes.
    mutating func checkHash(of structure: StructDeclSyntax) {
        guard !structure.ownMembers.contains(.hash),
            let member = structure.memberBlock.members.first(where: { OwnMember($0.decl) == .equality }),
            let equality = member.decl.as(FunctionDeclSyntax.self)
        else { return }
        report(ModelMessage.noHash, at: equality.name)
    }

    /// Reports members within `#if`, which macros do not see.
    /// - Parameter counts: whether a member is of the kind that matters.
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
