public import ModelRecord

/// Reads the fields of a model from a `Decoder`: an object whose keys are the fields' names on the wire, and `id`.
///
/// A missing key is an unknown field; null is a field that is known to be empty.
public struct FieldDecoder: FieldSource {
    private let container: KeyedDecodingContainer<FieldCodingKey>

    /// A source of the fields in `decoder`.
    /// - Throws: `DecodingError` when there is no object.
    public init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: FieldCodingKey.self) }

    /// The model's id.
    /// - Throws: `DecodingError` when there is none.
    public func id<ID: ModelID>(as type: ID.Type = ID.self) throws -> ID { try container.decode(ID.self, forKey: .id) }

    public func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        let key = FieldCodingKey(name.text)
        guard container.contains(key) else { return .unknown }
        do {
            if try container.decodeNil(forKey: key) { return .null }
            return .value(try container.decode(T.self, forKey: key))
        } catch {
            let found = (try? container.decode(Value.self, forKey: key)) ?? .null
            return .faulty(FieldFault(.form, wanted: "what decodes as \(T.self): \(error)", value: found))
        }
    }
}
