/// The form of keys in a file of grants: 40 characters of Z85, for 32 bytes.
enum KeyText {
    /// The two kinds of keys, which look alike.
    enum Kind {
        /// The key of a process, by which it connects.
        case curve
        /// The key that proves what an origin wrote.
        case signing

        fileprivate var name: String { self == .curve ? "public key" : "public signing key" }

        fileprivate var source: String { self == .curve ? "modelcast keygen" : "modelcast keygen --signing" }
    }

    /// The characters of Z85 (ZeroMQ's RFC 32), each at the place of its value.
    private static let digits = Array(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#")

    private static let values = Dictionary(uniqueKeysWithValues: digits.enumerated().map { ($1, $0) })

    /// The reason why a text is no key, and what to do; nil where it may be one.
    static func fault(of text: String, _ kind: Kind) -> String? {
        if let wrong = text.first(where: { values[$0] == nil }) {
            return "\(text.count > 12 ? "this" : "'\(text)'") is no \(kind.name): '\(wrong)' is not among the "
                + "characters of one; \(kind.source) prints one with 40 characters"
        }
        guard text.count == 40 else {
            return "a \(kind.name) has 40 characters, and this has \(text.count): is it whole?"
        }
        // A connection proves that a CURVE key is one. Nothing proves a signing key before the first signature.
        if kind == .signing, let group = groups(of: text).first(where: { !isNumber($0) }) {
            return "this is no \(kind.name): '\(group)' in it stands for no 4 bytes; \(kind.source) prints one"
        }
        return nil
    }

    private static func groups(of text: String) -> [String] {
        let characters = Array(text)
        return stride(from: 0, to: characters.count, by: 5).map {
            String(characters[$0..<min($0 + 5, characters.count)])
        }
    }

    /// The five characters are a number of 32 bits.
    private static func isNumber(_ group: String) -> Bool {
        group.reduce(0) { $0 * 85 + (values[$1] ?? 0) } <= Int(UInt32.max)
    }
}
