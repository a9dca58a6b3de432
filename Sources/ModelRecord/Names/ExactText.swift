/// A text that equals only one with the same bytes, as ids and field names do.
///
/// Two `String`s are equal, too, where they write one character in two ways: “é” alone, and “e” with an accent. As keys
/// of a table they would be one model, and the other would be lost.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// The bytes, as all ways to write one text have the hash of a `String` in common, and somebody could choose such
    /// ids.
    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
