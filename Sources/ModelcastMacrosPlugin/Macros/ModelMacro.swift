public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Model`: makes a struct a `Model`.
///
/// The storage and the memberwise initialiser are members of the struct; everything else is in an extension. For a
/// struct within another type everything is a member, because an extension could not see the names of the types around
/// it.
public struct ModelMacro: MemberMacro, ExtensionMacro {
    /// No formatting: the macro lays its text out itself.
    public static var formatMode: FormatMode { .disabled }

    /// The members of the struct. The other role reports problems, so that each is reported once.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        var reader = ModelReader(context.lexicalContext)
        guard let shape = reader.read(declaration, node) else { return [] }
        var members = MemberCode(shape).members
        if shape.isNested {
            members += ConformanceCode(shape, isDescribed: protocols.asksForDescription(of: declaration)).members
        }
        return members.map(DeclSyntax.init(verbatim:))
    }

    /// The extension of the struct, with its conformances; none for a struct with problems.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var reader = ModelReader(context.lexicalContext)
        let shape = reader.read(declaration, node)
        reader.findings.tell(context)
        guard let shape else { return [] }
        let conformances = Conformances.model.asked(among: protocols, isDescribed: !shape.hasDescriptionField)
        let isDescribed = protocols.asksForDescription(of: declaration)
        let members = shape.isNested ? [] : ConformanceCode(shape, isDescribed: isDescribed).members
        return [try ExtensionDeclSyntax(of: type, conformances, verbatim: .spaced(members))]
    }
}
