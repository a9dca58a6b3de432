import SwiftSyntax

/// Writes a type's name for `Self`, which is another type within the nested ones.
private final class SelfRewriter: SyntaxRewriter {
    private let name: String

    init(_ name: String) { self.name = name }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        token.tokenKind == .keyword(.Self) ? token.with(\.tokenKind, .identifier(name)) : token
    }
}

extension SyntaxProtocol {
    /// The same with a name for `Self`, and without the space around it.
    func naming(_ name: String) -> Self {
        // What a rewriter makes of a node is of the node's own kind, as only tokens change.
        SelfRewriter(name).rewrite(trimmed).as(Self.self) ?? trimmed
    }
}
