public import ModelRecord

/// A field that refers to another model by its id.
///
/// ```swift
/// var author: Reference<User>
/// …
/// let author = snapshot[lastGood: message.author]
/// ```
/// The field holds the text of the id. The other model need not exist.
public struct Reference<Other: Model>: FieldValue {
    /// The id of the other model.
    public let id: Other.ID

    /// A reference to the model with this id.
    public init(_ id: Other.ID) { self.id = id }

    /// A reference to `model`.
    public init(to model: Other) { id = model.id }

    @_disfavoredOverload
    public init(_ value: Value) throws(FieldFault) {
        guard case .text(let text) = value else {
            throw FieldFault(value, wanted: "the id of a model of type \(Other.modelType), as text")
        }
        // Others may write a UUID in small letters; it is given out in the one form that travels.
        guard let id = Other.ID(idText: text) else {
            throw FieldFault(.form, wanted: "the id of a model of type \(Other.modelType)", value: value)
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
