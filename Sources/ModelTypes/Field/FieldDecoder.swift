public import ModelRecord

/// Reads the fields of a model from what a `Decoder` has: an object with the names of the wire, and the id as `id`.
///
/// A key that is not there is an unknown field, a null a field that is known to be empty.
public struct FieldDecoder: FieldSource {
    private let container: KeyedDecodingContainer<FieldCodingKey>

    /// - Throws: `DecodingError` where there is no object.
    public init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: FieldCodingKey.self) }

    /// The model's id.
    /// - Throws: `DecodingError` where there is none.
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
