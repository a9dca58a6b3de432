import ModelCBOR

/// The name of a field, encoded once as records hold it, for ``FieldCursor``.
///
/// ```swift
/// private static let age: FieldName = "age"
/// ```
/// Ordered as the cells of a record are: shorter names first, then bytewise.
public struct FieldName: Sendable, ExpressibleByStringLiteral {
    /// The name.
    public let text: String
    /// The encoded name, head included.
    let key: [UInt8]

    /// - Parameter text: any text; no record has a field whose name is empty or longer than 128 bytes.
    public init(_ text: String) {
        self.text = text
        var writer = CBORWriter()
        writer.write(text: text)
        key = writer.bytes
    }

    /// A name from a literal.
    public init(stringLiteral text: String) { self.init(text) }
}

/// Names are compared as bytes: two spellings of a character that Unicode treats as equal are two fields.
extension FieldName: Comparable, Hashable, CustomStringConvertible {
    public static func == (left: FieldName, right: FieldName) -> Bool { left.key == right.key }

    public static func < (left: FieldName, right: FieldName) -> Bool {
        Bytes.compare(left.key.span, right.key.span) < 0
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    public var description: String { text }
}
