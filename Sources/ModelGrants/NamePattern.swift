/// A pattern of type names or origins: a name, or the beginning of names with `*` at the end. `*` alone matches all.
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    /// The name, or what names begin with.
    public let text: String
    /// Names that only begin with ``text`` match, too.
    public let isPrefix: Bool

    /// Reads a pattern.
    /// - Returns: nil where the text is empty, has a `*` that is not at its end, or a `/`, which no name has.
    public init?(_ pattern: some StringProtocol) {
        isPrefix = pattern.hasSuffix("*")
        text = String(isPrefix ? pattern.dropLast() : pattern[...])
        guard !pattern.isEmpty, !text.contains("*"), !text.contains("/") else { return nil }
    }

    /// The pattern of all names.
    public static let all = NamePattern(everything: ())

    private init(everything: Void) { (text, isPrefix) = ("", true) }

    /// The bytes decide, as on the wire: two spellings of one character are two names.
    public func matches(_ name: String) -> Bool {
        isPrefix ? name.utf8.starts(with: text.utf8) : name.utf8.elementsEqual(text.utf8)
    }

    /// Every name that `other` matches is matched by this pattern.
    public func covers(_ other: NamePattern) -> Bool {
        isPrefix ? other.text.utf8.starts(with: text.utf8) : !other.isPrefix && matches(other.text)
    }

    /// Some name is matched by both patterns. One of two such patterns covers the other.
    public func overlaps(_ other: NamePattern) -> Bool { covers(other) || other.covers(self) }

    /// Why no name of a type matches; nil where one may.
    var typeFault: String? {
        if let first = text.unicodeScalars.first, first != "_", !first.properties.isAlphabetic || !first.isASCII {
            return "a type begins with a letter or _"
        }
        return lengthFault
    }

    /// Why no name is as long; nil where one may be.
    var lengthFault: String? { text.utf8.count > 64 ? "a name has 64 bytes at most" : nil }

    /// The pattern as it is written.
    public var description: String { text + (isPrefix ? "*" : "") }
}
