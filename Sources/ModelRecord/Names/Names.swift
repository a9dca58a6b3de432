/// The rules for names (protocol article, section 1).
public enum Names {
    /// Checks the name of a type: `[A-Za-z_][A-Za-z0-9_.-]{0,63}`.
    public static func check(type: String) throws(NameError) {
        guard isType(type.utf8.span) else {
            throw NameError(
                kind: "type",
                reason: "\(quoted(type)) must be 1 to 64 of A-Z a-z 0-9 _ . - and begin with a letter or _")
        }
    }

    /// Checks the name of an origin: `[A-Za-z0-9_.-]{1,64}`.
    public static func check(origin: String) throws(NameError) {
        guard isOrigin(origin.utf8.span) else {
            throw NameError(kind: "origin", reason: "\(quoted(origin)) must be 1 to 64 of A-Z a-z 0-9 _ . -")
        }
    }

    /// Checks an id: 1 to 255 bytes of UTF-8 without NUL.
    public static func check(id: String) throws(NameError) {
        let count = id.utf8.count
        guard count > 0 else { throw NameError(kind: "id", reason: "is empty; it needs 1 to 255 bytes") }
        guard count <= 255 else { throw NameError(kind: "id", reason: "has \(count) bytes; at most 255 are allowed") }
        guard !ByteFacts(id.utf8.span, 0..<count).hasNUL else {
            throw NameError(kind: "id", reason: "contains a NUL byte")
        }
    }

    /// The size of the longest field name.
    static let fieldByteCountMax = 128

    /// Checks a field path: 1 to 128 bytes of UTF-8. The empty name is reserved for the model's own term in digests.
    public static func check(field: String) throws(NameError) {
        let count = field.utf8.count
        guard count > 0 else { throw NameError(kind: "field", reason: "has the empty name, which is reserved") }
        guard count <= fieldByteCountMax else {
            let reason = "\(quoted(field)) has \(count) bytes; at most \(fieldByteCountMax) are allowed"
            throw NameError(kind: "field", reason: reason)
        }
    }

    /// True when the bytes are a valid type name.
    public static func isType(_ name: Span<UInt8>) -> Bool {
        guard name.count > 0, name.count <= 64, name[0] == 0x5F || isLetter(name[0]) else { return false }
        return isWord(name)
    }

    /// True when the bytes are a valid origin name.
    public static func isOrigin(_ name: Span<UInt8>) -> Bool { name.count > 0 && name.count <= 64 && isWord(name) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= 0x61 && lower <= 0x7A
    }

    private static func isWord(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            let byte = name[index]
            let isDigit = byte >= 0x30 && byte <= 0x39
            guard isLetter(byte) || isDigit || byte == 0x5F || byte == 0x2D || byte == 0x2E else { return false }
        }
        return true
    }

    /// The name as an error message shows it: on one line, and cut where it is long.
    private static func quoted(_ name: String) -> String {
        let cut = name.count > 80 ? "\(name.prefix(80))…" : name
        return "\"\(cut.shown())\""
    }
}
