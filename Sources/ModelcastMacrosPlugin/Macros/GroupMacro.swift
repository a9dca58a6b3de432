public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// A macro that makes of a type what `FieldGroup` asks for. Macros of this kind differ in what they read, and in the
/// members that they write of it.
public protocol GroupMacro: MemberMacro, ExtensionMacro {
    /// The members that the type gets, each as lines; nil where something is wrong with it.
    /// - Parameter context: is told what is wrong; nil where another role of the macro tells it.
    static func members(
        of declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, within lexicalContext: [Syntax],
        telling context: (any MacroExpansionContext)?
    ) -> [[String]]?
}

extension GroupMacro {
    /// The text is laid out as it is made.
    public static var formatMode: FormatMode { .disabled }

    /// Only this role tells what is wrong, so that it is told once.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        let members = members(of: declaration, node, within: context.lexicalContext, telling: context)
        return members?.map { "\(raw: $0.joined(separator: "\n"))" } ?? []
    }

    /// Says that the type is a group of fields, if it does not say so itself. All that this takes is in the type: an
    /// extension could not see the names of the types around one.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let members = members(of: declaration, node, within: context.lexicalContext, telling: nil)
        guard members != nil, !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(raw: type.trimmedDescription): FieldGroup {}")]
    }
}
