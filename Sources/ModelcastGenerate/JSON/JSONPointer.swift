import Foundation

/// A place in a JSON document (RFC 6901), such as `/properties/name`; empty for the whole document.
struct JSONPointer: Hashable, CustomStringConvertible {
    private(set) var tokens: [String] = []

    /// Reads a pointer; nil for text that is none.
    /// - Parameter text: the fragment of a reference, without the `#`.
    init?(_ text: some StringProtocol) {
        if text.isEmpty { return }
        guard text.hasPrefix("/") else { return nil }
        tokens = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { token in
            token.replacingOccurrences(of: "~1", with: "/").replacingOccurrences(of: "~0", with: "~")
        }
    }

    init() {}

    mutating func removeLast() { tokens.removeLast() }

    /// The place of a member or an element.
    static func / (pointer: JSONPointer, token: String) -> JSONPointer {
        var longer = pointer
        longer.tokens.append(token)
        return longer
    }

    var description: String {
        tokens.map { token in
            "/" + token.replacingOccurrences(of: "~", with: "~0").replacingOccurrences(of: "/", with: "~1")
        }
        .joined()
    }
}
