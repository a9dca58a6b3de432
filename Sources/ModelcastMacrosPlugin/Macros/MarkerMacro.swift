public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@ID`, `@Field`, `@Constant` and `@Local`: what they say is read by the macros for types; alone they expand to
/// nothing.
public struct MarkerMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        []
    }
}
