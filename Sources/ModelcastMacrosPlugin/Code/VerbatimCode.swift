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
    /// An extension of a type with these protocols and members.
    /// - Throws: the parser's error, for a type that is none.
    init(of type: some TypeSyntaxProtocol, _ protocols: [String], verbatim members: [String]) throws {
        let header = [String].filled("nonisolated extension \(type.trimmedDescription)", protocols)
        try self.init("\(raw: header.joined(separator: "\n"))\(raw: header.count > 1 ? "\n" : " "){}")
        guard !members.isEmpty else { return }
        let text = DeclSyntax(verbatim: [""] + members.indented() + [""])
        memberBlock.members = [MemberBlockItemSyntax(decl: text)]
    }
}
