public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Field`, `@Constant` and `@Local`: the macros for types read these attributes, which expand to nothing
/// themselves. Each says so where there is no such macro to read it.
public struct MarkerMacro: PeerMacro {
    /// No declaration.
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        var findings = Findings()
        findings.checkOwner(of: node, in: context)
        findings.tell(context)
        return []
    }
}
