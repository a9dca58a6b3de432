public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// The macro of `@ID`, which `@Model` reads: checks a type that only the compiler knows, beside the property. Without
/// it all errors of a type that is no id speak of the conformance of generated code.
public struct IDMacro: PeerMacro {
    /// The types of which the spelling tells that they are ids.
    private static let known: Set = [
        "String", "UUID", "Foundation.UUID", "Int", "Int32", "Int64", "UInt", "UInt32", "UInt64",
    ]

    /// A function that compiles where the type is an id; nothing for a type that the macros know.
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        var findings = Findings()
        findings.checkOwner(of: node, in: context)
        findings.tell(context)
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let type = variable.bindings.first?.typeAnnotation?.type.trimmed, type.optionalWrapped == nil, !type.isNoID,
            !known.contains(type.bare.trimmedDescription)
        else { return [] }
        return ["nonisolated private static func _checkID() { ModelTypes.FieldRule.requireID(\(type).self) }"]
    }
}
