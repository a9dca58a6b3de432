/// A word of one line of grants, with its place.
struct GrantWord {
    let text: String
    /// The place of its first character, counted from 1.
    let column: Int

    /// The rest of the line is a comment.
    var beginsComment: Bool { text.hasPrefix("#") }

    /// The words of a line, which blanks and tabs separate.
    static func words(of line: String) -> [GrantWord] {
        var words: [GrantWord] = []
        var current = ""
        var start = 0
        for (index, character) in line.enumerated() {
            if character == " " || character == "\t" {
                if !current.isEmpty { words.append(GrantWord(text: current, column: start)) }
                current = ""
            } else {
                if current.isEmpty { start = index + 1 }
                current.append(character)
            }
        }
        if !current.isEmpty { words.append(GrantWord(text: current, column: start)) }
        return words
    }
}
