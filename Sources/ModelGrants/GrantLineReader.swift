/// Reads one line of grants: the grant of a key, or types that have to be signed.
struct GrantLineReader {
    /// The most signing keys of a line. Each of them is tried on what its origins write.
    private static let maximumOfSigningKeys = 8

    private let line: Int
    private let words: [GrantWord]
    private(set) var problems: [GrantsProblem] = []
    private(set) var warnings: [GrantsProblem] = []
    /// The types that have to be signed by this line.
    private(set) var requirements: [SigningReview.Requirement] = []
    /// The types and origins that the line lets its key write.
    private var publication = Publication(types: [], origins: [])
    /// The places of the types and of the signing keys of ``publication``.
    private var (typeColumns, signColumns): ([Int], [Int]) = ([], [])

    init(line: Int, _ text: String) {
        self.line = line
        words = GrantWord.words(of: text)
    }

    /// The grant of the line; nil where the line has none, or is wrong.
    mutating func read() -> Grant? {
        guard let first = words.first, !first.beginsComment else { return nil }
        if let word = words.first(where: { $0.text.unicodeScalars.contains(where: \.isControl) }) {
            report(word, "a control character stands here: take it away")
            return nil
        }
        if first.text.hasPrefix(GrantSpelling.requirement) {
            readRequirements()
            return nil
        }
        guard first.text == "grant" else {
            report(
                first,
                "a line begins with grant, require-signature: or #, not \(shown(first.text))"
                    + GrantSpelling.nearestLine(words))
            return nil
        }
        return readGrant(first)
    }

    /// The signatures that are looked at only with the whole file; nil where the line lets its key write nothing.
    func entry(called name: String) -> SigningReview.Entry? {
        guard !publication.types.isEmpty else { return nil }
        return SigningReview.Entry(
            name: name, line: line, publication: publication, typeColumns: typeColumns, signColumns: signColumns)
    }

    private mutating func readRequirements() {
        for word in words {
            if word.beginsComment { break }
            if let pattern = pattern(word, behind: GrantSpelling.requirement) {
                requirements.append(.init(pattern: pattern, line: line, column: word.column))
            } else if problems.last?.column != word.column {
                report(
                    word,
                    "only require-signature:TYPE may stand in this line, not \(shown(word.text))"
                        + GrantSpelling.nearestRequirement(word.text))
            }
        }
    }

    private mutating func readGrant(_ first: GrantWord) -> Grant? {
        guard words.count > 1 else {
            report(first, "a key is missing: write grant KEY NAME and what the key may do")
            return nil
        }
        let key = words[1]
        if let fault = KeyText.fault(of: key.text, .curve) {
            report(key, fault)
            return nil
        }
        guard words.count > 2, !words[2].beginsComment else {
            report(key, "a name is missing: write grant KEY NAME and what the key may do")
            return nil
        }
        let name = words[2]
        if let other = GrantSpelling.otherThanName(name.text) {
            report(
                name,
                "a name is missing before \(shown(name.text)), which is \(other) and no name: write grant KEY NAME and "
                    + "what the key may do")
            return nil
        }
        var grant = Grant(key: key.text, name: name.text, rights: Rights(), line: line)
        for word in words.dropFirst(3) {
            if word.beginsComment { break }
            if let limit = GrantLineReader.limit(of: word.text) {
                add(limit, word, to: &grant.limits)
            } else if word.text.hasPrefix("sign=") {
                addSigningKey(word, lineKey: key.text)
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

    private mutating func add(_ limit: KeyLimit, _ word: GrantWord, to limits: inout KeyLimits) {
        let text = String(word.text.dropFirst(limit.rawValue.count + 1))
        guard let number = GrantLineReader.number(text, countsBytes: limit.countsBytes) else {
            let example = limit.countsBytes ? "a number of bytes, such as 67108864, 65536K, 64M or 1G" : "a number"
            return report(word, "\(shown(text)) is no limit: write \(limit.rawValue)= and \(example)")
        }
        guard number > 0 else {
            return report(word, "a limit is at least 1; to shut the key out, take its line away")
        }
        if let other = limits[limit] {
            warn(word.column, "\(limit.rawValue)=\(other) stands here, too: the smaller one holds")
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

    private mutating func add(_ word: GrantWord, to rights: inout Rights) {
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
                typeColumns.append(word.column)
            } else if let pattern = pattern(word, behind: "origin=") {
                note(pattern, word, among: publication.origins)
                publication.origins.append(pattern)
            } else if problems.last?.column != word.column {
                report(word, "\(shown(word.text)) is no right\(GrantSpelling.nearestRight(word.text))")
            }
        }
    }

    private mutating func addSigningKey(_ word: GrantWord, lineKey: String) {
        let key = String(word.text.dropFirst("sign=".count))
        guard !key.isEmpty else {
            return report(word, "a key is missing behind sign=: modelcast keygen --signing prints one")
        }
        if let fault = KeyText.fault(of: key, .signing) { return report(word, fault) }
        guard key != lineKey else {
            return report(
                word,
                "this is the key of the line itself, and a signing key is another: make one with modelcast keygen "
                    + "--signing")
        }
        guard !publication.signingKeys.contains(key) else {
            return warn(word.column, "this sign= adds nothing: the line has the same key before it")
        }
        guard publication.signingKeys.count < GrantLineReader.maximumOfSigningKeys else {
            return report(
                word,
                "a line has at most \(GrantLineReader.maximumOfSigningKeys) signing keys: take away those that "
                    + "sign no more")
        }
        publication.signingKeys.append(key)
        signColumns.append(word.column)
    }

    private mutating func pattern(_ word: GrantWord, behind prefix: String) -> NamePattern? {
        guard word.text.hasPrefix(prefix) else { return nil }
        let text = word.text.dropFirst(prefix.count)
        if let wrong = text.first(where: { !GrantSpelling.isOfName($0) }), text.contains("*") == text.hasSuffix("*") {
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
    private mutating func check(_ rights: Rights, of name: GrantWord) {
        if !publication.types.isEmpty, publication.origins.isEmpty {
            report(name, "publish: needs an origin to write as: add origin=\(name.text)")
        }
        if publication.types.isEmpty, !publication.origins.isEmpty {
            report(name, "origin= needs types to write: add publish:TYPE")
        } else if publication.types.isEmpty, let column = signColumns.first {
            report(
                column,
                "sign= proves what a key writes, and this one may write nothing: add publish:TYPE and origin=NAME")
        }
        if rights.isOperator, let one = rights.subscriptions.first {
            warn(name.column, "subscribe:\(one) adds nothing to operate, which reads everything")
        }
        if rights.isRelay, rights.readable.isEmpty {
            warn(
                name.column,
                "\(name.text) may hand on what others wrote, and gets nothing from a server with these grants: add "
                    + "subscribe:*")
        }
        if rights == Rights() {
            warn(
                name.column, "\(name.text) may connect and do nothing: add subscribe:TYPE, or take the line away")
        }
    }

    /// Warns of limits that bound nothing.
    private mutating func check(_ limits: KeyLimits, of name: GrantWord) {
        guard publication.types.isEmpty,
            let idle = KeyLimit.allCases.first(where: { $0.boundsPushes && limits[$0] != nil })
        else { return }
        warn(name.column, "\(idle.rawValue)= bounds what \(name.text) pushes, and it may push nothing")
    }

    /// Warns where a pattern adds nothing, or matches no name that there can be.
    private mutating func note(_ pattern: NamePattern, _ word: GrantWord, among others: [NamePattern]) {
        let isOrigin = word.text.hasPrefix("origin=")
        if let reason = isOrigin ? pattern.lengthFault : pattern.typeFault {
            warn(word.column, "\(word.text) can grant nothing: \(reason)")
        } else if let other = others.first(where: { $0.covers(pattern) }) {
            warn(word.column, "\(word.text) adds nothing to \(other)")
        } else if let other = others.first(where: { pattern.covers($0) }) {
            warn(word.column, "\(other) adds nothing to \(word.text)")
        }
    }

    /// The warning for a key that stands in two lines.
    func repeated(_ grant: Grant, after earlier: Grants.EarlierLine) -> GrantsProblem {
        let limits = grant.limits.isEmpty || !earlier.hasLimits ? "" : ", and of two limits the smaller one holds"
        let rights = "the rights of both lines add up\(limits)"
        let message =
            grant.name == earlier.name
            ? "this key stands in line \(earlier.line), too: \(rights)"
            : "this key is \(earlier.name) in line \(earlier.line), and \(grant.name) here: it is called "
                + "\(earlier.name), and \(rights)"
        return GrantsProblem(line: line, column: words[1].column, message: message)
    }

    private mutating func report(_ word: GrantWord, _ message: String) { report(word.column, message) }

    private mutating func report(_ column: Int, _ message: String) {
        problems.append(GrantsProblem(line: line, column: column, message: message))
    }

    private mutating func warn(_ column: Int, _ message: String) {
        warnings.append(GrantsProblem(line: line, column: column, message: message))
    }

    private func shown(_ text: String) -> String { "'\(text.count > 60 ? text.prefix(57) + "..." : text[...])'" }
}

extension Unicode.Scalar {
    /// The character would do something to a terminal or a log, or cannot be seen there.
    fileprivate var isControl: Bool {
        properties.generalCategory == .control || properties.generalCategory == .format
    }
}
