/// Text of other processes, made safe to show in logs, in statuses and on terminals.
///
/// A peer chooses names, messages and reasons. A line break in one would forge a line of a log, an escape sequence
/// would command a terminal, and marks of writing direction would make a line read as another one.
extension String {
    /// The default limit of ``shown(byteCountMax:)``, in bytes of UTF-8.
    package static var shownByteCountMax: Int { 1024 }

    /// The text on one line. Characters that command a terminal or hide something are escaped, such as `\u{1B}`, or
    /// `\n` for a line's end. A text of more than `byteCountMax` bytes of UTF-8 is cut and ends with `…`.
    ///
    /// A text that this method returned is not changed by a second call.
    package func shown(byteCountMax: Int = String.shownByteCountMax) -> String {
        if utf8.count <= byteCountMax, !unicodeScalars.contains(where: \.isHidden) { return self }
        let end = "…"
        var (result, byteCount) = ("", 0)
        for scalar in unicodeScalars {
            let piece = scalar.isHidden ? scalar.escape : String(scalar)
            if byteCount + piece.utf8.count + end.utf8.count > byteCountMax { return result + end }
            byteCount += piece.utf8.count
            result += piece
        }
        return result
    }
}

extension Unicode.Scalar {
    /// True when the scalar ends a line, commands a terminal, changes the direction of writing, or is invisible.
    package var isHidden: Bool {
        switch value {
        // The controls of ASCII, and those of Latin 1.
        case 0x00...0x1F, 0x7F...0x9F: true
        // Marks, embeddings, overrides and isolates of direction.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Ends of lines and paragraphs.
        case 0x2028, 0x2029: true
        // The mark of byte order, annotations, and tags.
        case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }

    fileprivate var escape: String {
        switch value {
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }
}
