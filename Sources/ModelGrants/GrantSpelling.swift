/// The words of a file of grants, and advice for what is none of them.
enum GrantSpelling {
    /// The word of a line that names types which have to be signed.
    static let requirement = "require-signature:"

    /// The words of others for our rights.
    private static let synonyms = [
        "read": "subscribe:", "get": "subscribe:", "see": "subscribe:", "write": "publish:", "push": "publish:",
        "type": "subscribe:", "name": "origin=", "as": "origin=", "admin": "operate", "operator": "operate",
        "clients": "connections=", "memory": "bytes=", "size": "bytes=", "models": "ids=", "updates": "rate=",
        "topics": "streams=", "signature": "sign=", "signatures": "sign=", "signing": "sign=", "signed": "sign=",
        "signer": "sign=", "signkey": "sign=", "sign-key": "sign=", "signingkey": "sign=", "signing-key": "sign=",
        "ed25519": "sign=",
    ]

    /// The words behind a name, up to what follows.
    private static let rights =
        ["subscribe:", "publish:", "origin=", "sign=", "relay", "operate"] + KeyLimit.allCases.map { "\($0.rawValue)=" }

    /// The word is a right, whatever follows its colon or equals sign.
    static func looksLikeRight(_ text: String) -> Bool {
        rights.contains { $0.last == ":" || $0.last == "=" ? text.hasPrefix($0) : text == $0 }
    }

    /// The kind of a word that stands where a name should; nil where it may be a name.
    static func otherThanName(_ text: String) -> String? {
        text.hasPrefix(requirement) ? "a line of its own" : looksLikeRight(text) ? "a right" : nil
    }

    /// Advice with the right that is spelled most like the word.
    static func nearestRight(_ text: String) -> String {
        let (head, rest) = parts(of: text)
        func advice(_ right: String) -> String {
            let isBare = right.last != ":" && right.last != "="
            let usual =
                switch right {
                case "origin=": "NAME"
                case "sign=": "KEY"
                default: right.last == "=" ? "NUMBER" : "TYPE"
                }
            let place = right == requirement ? " in a line of its own" : ""
            return ": write \(right)\(isBare ? "" : rest.isEmpty ? usual : rest)\(place)"
        }
        if head.hasPrefix("requir") { return advice(requirement) }
        if let right = synonyms[head] { return advice(right) }
        let found = (rights + [requirement]).map { ($0, distance($0.filter { $0 != ":" && $0 != "=" }, head)) }
        guard let best = found.min(by: { $0.1 < $1.1 }), best.1 <= min(3, head.count / 2) else {
            return ": write subscribe:TYPE, publish:TYPE, origin=NAME, sign=KEY, relay, operate, or a limit such as "
                + "rate=1000"
        }
        return advice(best.0)
    }

    /// Advice for a line whose first word begins none; empty where nothing is near.
    static func nearestLine(_ words: [GrantWord]) -> String {
        guard let first = words.first, !looksLikeRight(first.text) else { return "" }
        let (head, rest) = parts(of: first.text)
        if head.hasPrefix("requir") || head.contains("sign") || distance(head, "require-signature") <= 3 {
            let second = words.dropFirst().first.flatMap { $0.beginsComment ? nil : $0.text } ?? ""
            return ": write \(requirement)\(name(rest.isEmpty ? second : rest))"
        }
        return distance(head, "grant") <= 2 ? ": write grant KEY NAME and what the key may do" : ""
    }

    /// Advice for a word that cannot stand in a line of types which have to be signed.
    static func nearestRequirement(_ text: String) -> String {
        if looksLikeRight(text) { return ": a right stands behind grant KEY NAME" }
        let (head, rest) = parts(of: text)
        let isRequirement = head.hasPrefix("requir") || distance(head, "require-signature") <= 3
        return ": write \(requirement)\(name(isRequirement ? rest : text))"
    }

    /// The word if it may name types, or else what stands for one in advice.
    private static func name(_ text: String) -> String {
        text.allSatisfy(isOfName) && NamePattern(text) != nil ? text : "TYPE"
    }

    /// The character may stand in a name of a type or an origin, or in a pattern of such names.
    static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_.-*".contains(character))
    }

    /// The small letters up to the first colon or equals sign, and what follows it.
    private static func parts(of text: String) -> (head: String, rest: String) {
        let head = text.prefix { $0 != ":" && $0 != "=" }
        return (head.lowercased(), String(text.dropFirst(head.count).dropFirst()))
    }

    /// How many characters have to be added, removed or changed.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
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
