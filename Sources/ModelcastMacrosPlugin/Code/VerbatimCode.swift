import SwiftSyntax
import SwiftSyntaxBuilder

/// Generated text in a syntax tree, as one token.
///
/// The compiler gets the text of an expansion and parses it itself. Parsing it here too, with a parser that is built
/// without optimisation, took four fifths of the time of a macro.
extension DeclSyntax {
    /// A declaration with this text. A missing one is the one kind that takes any token; the text is there in full.
    init(verbatim lines: [String]) {
        self.init(MissingDeclSyntax(placeholder: .identifier(lines.joined(separator: "\n"))))
    }
}

extension ExtensionDeclSyntax {
    /// An extension with this header and these members.
    /// - Throws: the parser's error, for a header that is none.
    init(_ header: String, verbatim members: [String]) throws {
        try self.init("\(raw: header) {}")
        guard !members.isEmpty else { return }
        let text = DeclSyntax(verbatim: [""] + members.indented() + [""])
        memberBlock.members = [MemberBlockItemSyntax(decl: text)]
    }
}
