import SwiftSyntax

/// Replaces `Self` by the name of the type, because `Self` means another type within nested types.
private final class SelfRewriter: SyntaxRewriter {
    private let name: String

    init(_ name: String) { self.name = name }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        token.tokenKind == .keyword(.Self) ? token.with(\.tokenKind, .identifier(name)) : token
    }
}

extension SyntaxProtocol {
    /// The node with a name in place of `Self`, and without the space around the node.
    func naming(_ name: String) -> Self {
        // The rewriter changes tokens only, so its result is of the node's own kind.
        SelfRewriter(name).rewrite(trimmed).as(Self.self) ?? trimmed
    }
}
