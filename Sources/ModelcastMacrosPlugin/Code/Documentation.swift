import SwiftSyntax

extension Trivia {
    /// The lines of the documentation comments.
    var documentation: [String] {
        pieces.flatMap { piece -> [String] in
            switch piece {
            case .docLineComment(let text): [text]
            case .docBlockComment(let text):
                text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
                    (index == 0 ? "" : " ") + line.drop(while: \.isWhitespace)
                }
            default: []
            }
        }
    }
}
