import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Nested`: makes of a struct what `FieldGroup` asks for.
public struct NestedMacro: MemberMacro, ExtensionMacro {
    /// The text is laid out as it is made.
    public static var formatMode: FormatMode { .disabled }

    /// Only this role tells what is wrong, so that it is told once.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        var reader = NestedReader(context.lexicalContext)
        let shape = reader.read(declaration, node)
        reader.findings.tell(context)
        return DeclSyntax.members(shape.map { NestedCode($0).members })
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var reader = NestedReader(context.lexicalContext)
        return try ExtensionDeclSyntax.group(type, protocols, isSound: reader.read(declaration, node) != nil)
    }
}

/// `@OneOf`: makes of an enum what `FieldGroup` asks for.
public struct OneOfMacro: MemberMacro, ExtensionMacro {
    /// The text is laid out as it is made.
    public static var formatMode: FormatMode { .disabled }

    /// Only this role tells what is wrong, so that it is told once.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        var reader = OneOfReader(context.lexicalContext)
        let shape = reader.read(declaration, node)
        reader.findings.tell(context)
        return DeclSyntax.members(shape.map { OneOfCode($0).members })
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var reader = OneOfReader(context.lexicalContext)
        return try ExtensionDeclSyntax.group(type, protocols, isSound: reader.read(declaration, node) != nil)
    }
}

extension DeclSyntax {
    fileprivate static func members(_ members: [[String]]?) -> [DeclSyntax] {
        (members ?? []).map { "\(raw: $0.joined(separator: "\n"))" }
    }
}

extension ExtensionDeclSyntax {
    /// Says that a type is a group of fields, if it does not say so itself. All that this takes is in the type:
    /// an extension could not see the names of the types around one.
    fileprivate static func group(
        _ type: some TypeSyntaxProtocol, _ protocols: [TypeSyntax], isSound: Bool
    ) throws -> [ExtensionDeclSyntax] {
        guard isSound, !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(raw: type.trimmedDescription): FieldGroup {}")]
    }
}
