/// The tests that the articles name as witnesses: a suite in backticks, then its tests' sentences in quotation marks.
///
/// Quotation marks of this kind, “ and ”, have no other use in the articles.
struct ArticleQuotes {
    /// The sentences of each suite, by its name.
    private var sentences: [String: Set<String>] = [:]
    /// Test targets: their names end like those of suites.
    private var targets: Set<String> = []

    /// - Parameter files: every file of the tests.
    init(tests files: [SourceFile]) {
        for file in files {
            targets.insert(file.target)
            var suite = ""
            for line in file.lines {
                // Looked for plainly first: expressions are slow, and few lines are of interest.
                if line.contains("struct "),
                    let match = line.prefixMatch(of: /(?:@Suite.*\s)?struct (?:`([^`]+)`|(\w+Tests)\b)/)
                {
                    suite = String(match.output.1 ?? match.output.2 ?? "")
                    sentences[suite, default: []].formUnion([])
                } else if line.contains("func `"), let match = line.firstMatch(of: /\bfunc `([^`]+)`/) {
                    sentences[suite, default: []].insert(String(match.output.1))
                }
            }
        }
    }

    /// How many sentences an article quotes.
    func count(in article: String) -> Int { article.matches(of: /“[^”]+”/).count }

    /// What an article names and the tests do not have.
    func complaints(about article: String, named name: String) -> [String] {
        var complaints: [String] = []
        var suite = ""
        var isCode = false
        let prose = article.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
        .joined(separator: "\n")
        // Links to symbols stand in two backticks.
        for match in prose.matches(of: /``[^`\n]+``|`([^`\n]+)`|“([^”]+)”/) {
            if let token = match.output.1.map(String.init) {
                if sentences[token] != nil {
                    suite = token
                } else if token.wholeMatch(of: /\w+Tests/) != nil, !targets.contains(token) {
                    complaints.append("\(name): there is no suite \(token)")
                }
            } else if let quoted = match.output.2 {
                let sentence = quoted.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                if sentences[suite]?.contains(sentence) != true {
                    complaints.append("\(name): \(suite) has no test “\(sentence)”")
                }
            }
        }
        return complaints
    }
}
