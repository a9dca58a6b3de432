public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Model`: makes of a struct what `Model` asks for.
///
/// The storage and the memberwise initialiser are members of the struct, all else is an extension. Of a struct
/// within another type everything is a member: an extension could not see the names of the types around it.
public struct ModelMacro: MemberMacro, ExtensionMacro {
    /// The text is laid out as it is made.
    public static var formatMode: FormatMode { .disabled }

    /// Only this role tells what is wrong, so that it is told once.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        var reader = ModelReader(context.lexicalContext)
        let shape = reader.read(declaration, node)
        reader.findings.tell(context)
        guard let shape else { return [] }
        var members = MemberCode(shape).members
        if shape.isNested { members += ConformanceCode(shape).members }
        return members.map { "\(raw: $0.joined(separator: "\n"))" }
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var reader = ModelReader(context.lexicalContext)
        guard let shape = reader.read(declaration, node) else { return [] }
        let conformances = Self.conformances(among: protocols.map(\.trimmedDescription), of: shape)
        let members = shape.isNested ? [] : ConformanceCode(shape).members
        let clause = conformances.isEmpty ? "" : ": \(conformances.joined(separator: ", "))"
        let header = "extension \(type.trimmedDescription)\(clause)"
        let lines = [String].block(header, .spaced(members))
        return [try ExtensionDeclSyntax("\(raw: lines.joined(separator: "\n"))")]
    }

    /// What the struct is still to conform to: the compiler leaves out what it says itself.
    private static func conformances(among protocols: [String], of shape: ModelShape) -> [String] {
        let names = Set(protocols.map { String($0.split(separator: ".").last ?? "") })
        var found = names.contains("Model") ? ["Model"] : []
        if names.contains("Codable") || names.isSuperset(of: ["Decodable", "Encodable"]) {
            found.append("Codable")
        } else {
            found += ["Decodable", "Encodable"].filter(names.contains)
        }
        if names.contains("CustomStringConvertible"), !shape.hasDescriptionField {
            found.append("CustomStringConvertible")
        }
        return found
    }
}
