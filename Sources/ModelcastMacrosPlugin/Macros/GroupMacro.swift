public import SwiftSyntax
public import SwiftSyntaxMacros

/// A macro that makes a type a `FieldGroup` or one value. Macros of this kind differ in the declarations that they
/// read, and in the members that they write.
public protocol GroupMacro: MemberMacro, ExtensionMacro {
    /// The type becomes one value, and not a group of fields.
    static var isValue: Bool { get }
    /// The members that the type gets; nil for a type with problems.
    /// - Parameter context: receives the problems; nil where another role of the macro reports them.
    static func members(
        of declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, within lexicalContext: [Syntax],
        telling context: (any MacroExpansionContext)?
    ) -> GroupMembers?
}

extension GroupMacro {
    /// The default: a group of fields.
    public static var isValue: Bool { false }

    /// No formatting: the macro lays its text out itself.
    public static var formatMode: FormatMode { .disabled }

    /// The members of the type. The other role reports problems, so that each is reported once: the compiler may never
    /// ask for the members of a type of which it only wants to know what it conforms to.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        let members = members(of: declaration, node, within: context.lexicalContext, telling: nil)
        return members?.inType.map(DeclSyntax.init(verbatim:)) ?? []
    }

    /// The conformance, if the type does not declare it itself.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var members = members(of: declaration, node, within: context.lexicalContext, telling: context)
        if !protocols.asksForDescription(of: declaration) { members?.description = [] }
        let conformances = (isValue ? Conformances.value : .group).asked(
            among: protocols, isDescribed: members?.description.isEmpty == false)
        guard let members, !conformances.isEmpty else { return [] }
        return [
            try ExtensionDeclSyntax(
                of: type, conformances, verbatim: .spaced(members.inExtension + members.description))
        ]
    }
}
