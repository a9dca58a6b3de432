import SwiftDiagnostics
import SwiftSyntax

/// Fix-its that edit the text in one place.
extension FixIt {
    private init(
        _ id: String, _ message: String, _ range: Range<AbsolutePosition>, in node: some SyntaxProtocol, _ text: String
    ) {
        self.init(
            message: ModelFixIt(id, message), changes: [.replaceText(range: range, with: text, in: Syntax(node))])
    }

    /// Replaces a node by text.
    static func change(_ node: some SyntaxProtocol, to text: String) -> FixIt {
        let message = "change '\(node.trimmedDescription)' to '\(text)'"
        let range = node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia
        return FixIt("change", message, range, in: node, text)
    }

    /// Removes an attribute, and the space behind it.
    static func remove(_ attribute: AttributeSyntax) -> FixIt {
        remove(attribute, "@\(attribute.attributeName.trimmedDescription)")
    }

    /// Removes a word, and the space behind it.
    static func remove(_ word: TokenSyntax) -> FixIt { remove(word, "'\(word.text)'") }

    private static func remove(_ node: some SyntaxProtocol, _ name: String) -> FixIt {
        let end = node.nextToken(viewMode: .sourceAccurate)?.positionAfterSkippingLeadingTrivia
        let range = node.positionAfterSkippingLeadingTrivia..<(end ?? node.endPosition)
        return FixIt("remove", "remove \(name)", range, in: node, "")
    }

    /// Removes the initial value, and the space before it.
    static func remove(_ value: InitializerClauseSyntax) -> FixIt {
        let start = value.previousToken(viewMode: .sourceAccurate)?.endPositionBeforeTrailingTrivia
        let range = (start ?? value.position)..<value.endPositionBeforeTrailingTrivia
        return FixIt("removeValue", "remove the initial value", range, in: value, "")
    }

    /// Inserts text before a node.
    static func insert(_ text: String, before node: some SyntaxProtocol, _ message: String? = nil) -> FixIt {
        let place = node.positionAfterSkippingLeadingTrivia
        return FixIt("insert", message ?? "insert '\(text)'", place..<place, in: node, text)
    }

    /// Inserts text behind a node.
    static func insert(_ text: String, after node: some SyntaxProtocol, _ message: String? = nil) -> FixIt {
        let place = node.endPositionBeforeTrailingTrivia
        return FixIt("insert", message ?? "insert '\(text)'", place..<place, in: node, text)
    }
}
