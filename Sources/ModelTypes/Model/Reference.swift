public import ModelRecord

/// The id of another model: a field that points to it.
///
/// ```swift
/// var author: Reference<User>
/// …
/// let author = snapshot.resolve(message.author)
/// ```
/// It travels as the text of the id. The other model need not exist.
public struct Reference<Other: Model>: FieldValue {
    public let id: Other.ID

    public init(_ id: Other.ID) { self.id = id }

    /// The id of `model`.
    public init(to model: Other) { id = model.id }

    public init(_ value: Value) throws(FieldFault) {
        guard case .text(let text) = value else {
            throw FieldFault(value, wanted: "the id of a \(Other.modelType), as text")
        }
        guard let id = Other.ID(exactly: text) else {
            throw FieldFault(.form, wanted: "the id of a \(Other.modelType)", value: value)
        }
        self.id = id
    }

    public func encoded() throws(FieldFault) -> Value { .text(id.idText) }

    public init(from decoder: any Decoder) throws { id = try Other.ID(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }
}

extension Reference: CustomStringConvertible {
    public var description: String { "\(Other.modelType) \(id.idText)" }
}
