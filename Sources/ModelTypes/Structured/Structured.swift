public import ModelRecord

/// A value of a `Codable` type as the value of a field: a map, an array or a scalar, as its `Codable` has it.
///
/// ```swift
/// @Field(convert: .structured(Layout.self)) var layout: Layout
/// ```
/// Parts that are ``FieldValue`` types travel in their own forms: a `Date` as a timestamp, a `UUID` as a UUID, `Data`
/// as bytes. In JSON the content is what its `Codable` and the encoder make of it.
/// - Complexity: reading and writing take time in the size of the value.
public struct Structured<Content: Codable & Hashable & Sendable>: FieldValue {
    /// The value.
    public let content: Content

    /// The field value of `content`.
    public init(content: Content) { self.content = content }

    /// Decodes the content.
    /// - Throws: ``FieldFault`` whose ``FieldFault/part`` is the way to what is in the way.
    public init(_ value: Value) throws(FieldFault) {
        do {
            content = try ValueDecoder.decode(Content.self, value, at: [])
        } catch {
            throw FieldFault(error, decoding: Content.self, of: value)
        }
    }

    public func encoded() throws(FieldFault) -> Value {
        let node = ValueNode()
        do { try node.encode(content, at: []) } catch { throw FieldFault(error, encoding: content) }
        return node.value
    }

    public init(from decoder: any Decoder) throws {
        content = try decoder.singleValueContainer().decode(Content.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}
