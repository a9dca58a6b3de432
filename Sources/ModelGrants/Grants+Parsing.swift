extension Grants {
    /// Reads a text of grants.
    /// - Parameter file: the name of the file, for messages.
    /// - Throws: ``GrantsError`` with every line that cannot be read, and the nearest thing that would be right.
    public init(parsing text: String, file: String = "grants") throws(GrantsError) {
        self.init()
        var problems: [GrantsProblem] = []
        // Only a line feed ends a line, with or without a carriage return. What else may look like one ends no comment.
        for (index, bytes) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
            var reader = GrantLineReader(line: index + 1, line)
            let grant = reader.read()
            problems += reader.problems
            warnings += reader.warnings
            guard let grant, reader.problems.isEmpty, let earlier = add(grant) else { continue }
            warnings.append(reader.repeated(grant, after: earlier))
        }
        guard problems.isEmpty else { throw GrantsError(file: file, problems: problems) }
    }
}

/// Reads one line of grants.
private struct GrantLineReader {
    private struct Word {
        let text: String
        let column: Int
    }

    private let line: Int
    private let words: [Word]
    private(set) var problems: [GrantsProblem] = []
    private(set) var warnings: [GrantsProblem] = []
    /// The types and origins that the line lets its key write.
    private var publication = Publication(types: [], origins: [])

    init(line: Int, _ text: String) {
        self.line = line
        var words: [Word] = []
        var current = ""
        var start = 0
        for (index, character) in text.enumerated() {
            if character == " " || character == "\t" {
                if !current.isEmpty { words.append(Word(text: current, column: start)) }
                current = ""
            } else {
                if current.isEmpty { start = index + 1 }
                current.append(character)
            }
        }
        if !current.isEmpty { words.append(Word(text: current, column: start)) }
        self.words = words
    }

    /// The grant of the line; nil where the line has none, or is wrong.
    mutating func read() -> Grant? {
        guard let first = words.first, !first.text.hasPrefix("#") else { return nil }
        if let word = words.first(where: { $0.text.unicodeScalars.contains(where: \.isControl) }) {
            report(word, "a control character stands here: take it away")
            return nil
        }
        guard first.text == "grant" else {
            report(first, "a line begins with grant or #, not \(shown(first.text))")
            return nil
        }
        guard words.count > 1 else {
            report(first, "a key is missing: write grant KEY NAME and what the key may do")
            return nil
        }
        let key = words[1]
        if let fault = GrantLineReader.fault(ofKey: key.text) {
            report(key, fault)
            return nil
        }
        guard words.count > 2, !words[2].text.hasPrefix("#") else {
            report(key, "a name is missing: write grant KEY NAME and what the key may do")
            return nil
        }
        let name = words[2]
        if GrantLineReader.looksLikeRight(name.text) {
            report(
                name,
                "a name is missing before \(shown(name.text)), which is a right and no name: write grant KEY NAME and "
                    + "what the key may do")
            return nil
        }
        var grant = Grant(key: key.text, name: name.text, rights: Rights(), line: line)
        for word in words.dropFirst(3) {
            if word.text.hasPrefix("#") { break }
            if let limit = GrantLineReader.limit(of: word.text) {
                add(limit, word, to: &grant.limits)
            } else {
                add(word, to: &grant.rights)
            }
        }
        if !publication.types.isEmpty { grant.rights.publications = [publication] }
        if problems.isEmpty { check(grant.rights, of: name) }
        if problems.isEmpty { check(grant.limits, of: name) }
        return problems.isEmpty ? grant : nil
    }

    /// The limit that a word sets.
    private static func limit(of text: String) -> KeyLimit? {
        KeyLimit.allCases.first { text.hasPrefix($0.rawValue + "=") }
    }

    private mutating func add(_ limit: KeyLimit, _ word: Word, to limits: inout KeyLimits) {
        let text = String(word.text.dropFirst(limit.rawValue.count + 1))
        guard let number = GrantLineReader.number(text, countsBytes: limit.countsBytes) else {
            let example = limit.countsBytes ? "a number of bytes, such as 67108864, 65536K, 64M or 1G" : "a number"
            return report(word, "\(shown(text)) is no limit: write \(limit.rawValue)= and \(example)")
        }
        guard number > 0 else {
            return report(word, "a limit is at least 1; to shut the key out, take its line away")
        }
        if let other = limits[limit] {
            warnings.append(
                GrantsProblem(
                    line: line, column: word.column,
                    message: "\(limit.rawValue)=\(other) stands here, too: the smaller one holds"))
        }
        limits[limit] = min(number, limits[limit] ?? number)
    }

    /// A number of at most 15 digits, which may end in K, M or G where it counts bytes.
    private static func number(_ text: String, countsBytes: Bool) -> Int? {
        let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = countsBytes ? text.last.flatMap { units[$0] } : nil
        let digits = unit == nil ? text[...] : text.dropLast()
        guard (1...15).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let number = Int(digits)
        else { return nil }
        let (product, isPast) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isPast ? nil : product
    }

    private mutating func add(_ word: Word, to rights: inout Rights) {
        switch word.text {
        case "relay": rights.isRelay = true
        case "operate": rights.isOperator = true
        default:
            if let pattern = pattern(word, behind: "subscribe:") {
                note(pattern, word, among: rights.subscriptions)
                rights.subscriptions.append(pattern)
            } else if let pattern = pattern(word, behind: "publish:") {
                note(pattern, word, among: publication.types)
                publication.types.append(pattern)
            } else if let pattern = pattern(word, behind: "origin=") {
                note(pattern, word, among: publication.origins)
                publication.origins.append(pattern)
            } else if problems.last?.column != word.column {
                report(word, "\(shown(word.text)) is no right\(GrantLineReader.nearest(word.text))")
            }
        }
    }

    private mutating func pattern(_ word: Word, behind prefix: String) -> NamePattern? {
        guard word.text.hasPrefix(prefix) else { return nil }
        let text = word.text.dropFirst(prefix.count)
        if let wrong = text.first(where: { !GrantLineReader.isOfName($0) }), text.contains("*") == text.hasSuffix("*") {
            report(word, "'\(wrong)' is in no name; for several names write \(prefix) for each")
            return nil
        }
        if let pattern = NamePattern(text) { return pattern }
        report(
            word,
            text.isEmpty
                ? "a name is missing behind \(prefix) (\(prefix)* stands for all)"
                : "\(shown(String(text))) is no name, and no beginning of names with a * at its end")
        return nil
    }

    /// Reports rights that mean nothing without others.
    private mutating func check(_ rights: Rights, of name: Word) {
        if !publication.types.isEmpty, publication.origins.isEmpty {
            report(name, "publish: needs an origin to write as: add origin=\(name.text)")
        }
        if publication.types.isEmpty, !publication.origins.isEmpty {
            report(name, "origin= needs types to write: add publish:TYPE")
        }
        if rights.isRelay, rights.readable.isEmpty {
            warnings.append(
                GrantsProblem(
                    line: line, column: name.column,
                    message: "\(name.text) may hand on what others wrote, and gets nothing from a server with these "
                        + "grants: add subscribe:*"))
        }
        if rights == Rights() {
            warnings.append(
                GrantsProblem(
                    line: line, column: name.column,
                    message: "\(name.text) may connect and do nothing: add subscribe:TYPE, or take the line away"))
        }
    }

    /// Warns of limits that bound nothing.
    private mutating func check(_ limits: KeyLimits, of name: Word) {
        guard publication.types.isEmpty,
            let idle = KeyLimit.allCases.first(where: { $0.boundsPushes && limits[$0] != nil })
        else { return }
        warnings.append(
            GrantsProblem(
                line: line, column: name.column,
                message: "\(idle.rawValue)= bounds what \(name.text) pushes, and it may push nothing"))
    }

    /// Warns where a pattern adds nothing.
    private mutating func note(_ pattern: NamePattern, _ word: Word, among others: [NamePattern]) {
        guard let other = others.first(where: { $0.covers(pattern) }) else { return }
        warnings.append(
            GrantsProblem(line: line, column: word.column, message: "\(word.text) adds nothing to \(other)"))
    }

    /// The warning for a key that stands in two lines.
    func repeated(_ grant: Grant, after earlier: Grant) -> GrantsProblem {
        let limits = grant.limits.isEmpty || earlier.limits.isEmpty ? "" : ", and of two limits the smaller one holds"
        let rights = "the rights of both lines add up\(limits)"
        let message =
            grant.name == earlier.name
            ? "this key stands in line \(earlier.line), too: \(rights)"
            : "this key is \(earlier.name) in line \(earlier.line), and \(grant.name) here: it is called "
                + "\(earlier.name), and \(rights)"
        return GrantsProblem(line: line, column: words[1].column, message: message)
    }

    private mutating func report(_ word: Word, _ message: String) {
        problems.append(GrantsProblem(line: line, column: word.column, message: message))
    }

    private func shown(_ text: String) -> String { "'\(text.count > 60 ? text.prefix(57) + "..." : text[...])'" }

    // MARK: Rules of words

    /// The characters of Z85 (ZeroMQ's RFC 32).
    private static let digits = Set(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#")

    private static func fault(ofKey text: String) -> String? {
        if let wrong = text.first(where: { !digits.contains($0) }) {
            return "\(text.count > 12 ? "this" : "'\(text)'") is no public key: '\(wrong)' is not among the characters "
                + "of one; modelcast keygen prints one with 40 characters"
        }
        guard text.count == 40 else {
            return "a public key has 40 characters, and this has \(text.count): is it whole?"
        }
        return nil
    }

    /// The character may stand in a name of a type or an origin, or in a pattern of such names.
    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_.-*".contains(character))
    }

    /// The words of others for our rights.
    private static let synonyms = [
        "read": "subscribe:", "get": "subscribe:", "see": "subscribe:", "write": "publish:", "push": "publish:",
        "type": "subscribe:", "name": "origin=", "as": "origin=", "admin": "operate", "operator": "operate",
        "clients": "connections=", "memory": "bytes=", "size": "bytes=", "models": "ids=", "updates": "rate=",
        "topics": "streams=",
    ]

    /// The words behind a name, up to what follows.
    private static let rights =
        ["subscribe:", "publish:", "origin=", "relay", "operate"] + KeyLimit.allCases.map { "\($0.rawValue)=" }

    private static func looksLikeRight(_ text: String) -> Bool {
        rights.contains { $0.last == ":" || $0.last == "=" ? text.hasPrefix($0) : text == $0 }
    }

    /// Advice with the right that is spelled most like the word.
    private static func nearest(_ text: String) -> String {
        let head = text.firstIndex { $0 == ":" || $0 == "=" }.map { text[..<$0] } ?? text[...]
        let rest = text.dropFirst(head.count).dropFirst()
        func advice(_ right: String) -> String {
            let isBare = right.last != ":" && right.last != "="
            let usual = right == "origin=" ? "NAME" : right.last == "=" ? "NUMBER" : "TYPE"
            let name = rest.isEmpty ? usual : String(rest)
            return ": write \(right)\(isBare ? "" : name)"
        }
        if let right = synonyms[head.lowercased()] { return advice(right) }
        let found = rights.map { right in
            (right, distance(Array(right.filter { $0 != ":" && $0 != "=" }), Array(head.lowercased())))
        }
        guard let best = found.min(by: { $0.1 < $1.1 }), best.1 <= min(3, head.count / 2) else {
            return ": write subscribe:TYPE, publish:TYPE, origin=NAME, relay, operate, or a limit such as rate=1000"
        }
        return advice(best.0)
    }

    /// How many characters have to be added, removed or changed.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (character == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}

extension Unicode.Scalar {
    /// The character would do something to a terminal or a log, or cannot be seen there.
    fileprivate var isControl: Bool {
        properties.generalCategory == .control || properties.generalCategory == .format
    }
}
