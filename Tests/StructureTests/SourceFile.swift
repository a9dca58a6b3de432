/// One Swift file, as lines and as lines of code alone.
struct SourceFile {
    /// From the root of the repository: `Sources/ModelRecord/Record.swift`.
    let path: String
    /// The lines as they are.
    let lines: [Substring]
    /// The same lines with comments and the insides of string literals left out.
    let code: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        code = CodeScanner.code(of: text).split(separator: "\n", omittingEmptySubsequences: false)
    }

    var name: Substring { path.split(separator: "/").last ?? "" }

    /// The folder below `Sources` or `Tests`: the target.
    var target: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// The modules that this file imports, with their line numbers.
    var imports: [(line: Int, module: String)] {
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:[a-z]+\s+)?(\w+)/
        return code.enumerated().flatMap { index, line in
            line.split(separator: ";").compactMap { statement in
                statement.firstMatch(of: pattern).map { (line: index + 1, module: String($0.output.1)) }
            }
        }
    }

    /// `path:line` for each line of code in which the pattern is found.
    func places(of pattern: some RegexComponent) -> [String] {
        code.indices.filter { code[$0].firstMatch(of: pattern) != nil }.map { "\(path):\($0 + 1)" }
    }
}

/// Leaves out what is not code. An interpolation counts as part of its string.
private struct CodeScanner {
    private enum State: Equatable {
        case code
        case lineComment
        case blockComment(depth: Int)
        case string(hashes: Int, multiline: Bool)
    }

    private let input: [Character]
    private var position = 0
    private var state = State.code
    private var output = ""

    static func code(of text: String) -> String {
        var scanner = CodeScanner(input: Array(text))
        while scanner.position < scanner.input.count { scanner.step() }
        return scanner.output
    }

    private init(input: [Character]) { self.input = input }

    private func isNext(_ text: String) -> Bool {
        input[position...].starts(with: text)
    }

    private mutating func step() {
        let character = input[position]
        if character == "\n" {
            output.append(character)
            position += 1
            if case .string(_, multiline: false) = state { state = .code }
            if state == .lineComment { state = .code }
            return
        }
        switch state {
        case .code: stepCode(character)
        case .lineComment: position += 1
        case .blockComment(let depth): stepBlockComment(depth)
        case .string(let hashes, let multiline): stepString(hashes, multiline)
        }
    }

    private mutating func stepCode(_ character: Character) {
        if isNext("//") {
            state = .lineComment
        } else if isNext("/*") {
            state = .blockComment(depth: 1)
            position += 2
        } else if let opening = stringOpening() {
            state = .string(hashes: opening.hashes, multiline: opening.multiline)
            position += opening.length
            output.append("\"")
        } else {
            output.append(character)
            position += 1
        }
    }

    private func stringOpening() -> (hashes: Int, multiline: Bool, length: Int)? {
        let hashes = input[position...].prefix { $0 == "#" }.count
        let rest = input[(position + hashes)...]
        guard rest.first == "\"" else { return nil }
        let multiline = rest.starts(with: "\"\"\"")
        return (hashes, multiline, hashes + (multiline ? 3 : 1))
    }

    private mutating func stepBlockComment(_ depth: Int) {
        if isNext("*/") {
            state = depth == 1 ? .code : .blockComment(depth: depth - 1)
            position += 2
        } else if isNext("/*") {
            state = .blockComment(depth: depth + 1)
            position += 2
        } else {
            position += 1
        }
    }

    private mutating func stepString(_ hashes: Int, _ multiline: Bool) {
        let marks = String(repeating: "#", count: hashes)
        let closing = (multiline ? "\"\"\"" : "\"") + marks
        if isNext(closing) {
            state = .code
            position += closing.count
            output.append("\"")
        } else if isNext("\\" + marks), position + 1 + hashes < input.count,
            input[position + 1 + hashes] != "\n"
        {
            position += 2 + hashes
        } else {
            position += 1
        }
    }
}
