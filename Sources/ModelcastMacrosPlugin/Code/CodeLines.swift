/// Lines of Swift code. An empty line has no indentation.
extension [String] {
    /// A header and its lines in braces.
    static func block(_ header: String, _ body: [String]) -> [String] {
        body.isEmpty ? ["\(header) {}"] : ["\(header) {"] + body.indented() + ["}"]
    }

    /// A header with its lines, and an `else` with other ones.
    static func block(_ header: String, _ body: [String], else other: String, _ otherBody: [String]) -> [String] {
        block(header, body).dropLast() + block("} else \(other)", otherBody)
    }

    /// A call or a declaration with one argument a line.
    static func list(_ header: String, _ elements: [String], _ end: String) -> [String] {
        let separated = elements.enumerated().map { $1 + ($0 == elements.count - 1 ? "" : ",") }
        return [header] + separated.indented() + [end]
    }

    /// A header that ends in a list, on lines of at most a hundred columns with the brace that follows.
    static func filled(_ header: String, _ elements: [String]) -> [String] {
        var lines = [header]
        for (place, element) in elements.enumerated() {
            let line = lines[lines.count - 1] + (place == 0 ? ": " : ", ") + element
            if place == 0 || line.utf8.count < 98 {
                lines[lines.count - 1] = line
            } else {
                lines[lines.count - 1] += ","
                lines.append("    \(element)")
            }
        }
        return lines
    }

    /// Declarations with an empty line between them.
    static func spaced(_ declarations: [[String]]) -> [String] {
        [String](declarations.joined(separator: [""]))
    }

    func indented() -> [String] { map { $0.isEmpty ? "" : "    " + $0 } }
}

extension String {
    /// The text as a literal of Swift.
    var literal: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\u{0}"..<" ", "\u{7F}": text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
