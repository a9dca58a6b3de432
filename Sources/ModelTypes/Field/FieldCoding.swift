public import ModelRecord

/// A key of the JSON of a model: a field's name on the wire, or `id`.
struct FieldCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }

    static let id = FieldCodingKey("id")
}

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

/// Writes the fields of a model to an `Encoder`: the reverse of ``FieldDecoder``.
public struct FieldEncoder: FieldSink {
    private var container: KeyedEncodingContainer<FieldCodingKey>

    /// Writes the id.
    public init(_ encoder: any Encoder, id: some ModelID) throws {
        container = encoder.container(keyedBy: FieldCodingKey.self)
        try container.encode(id, forKey: .id)
    }

    public mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        do {
            try container.encode(value, forKey: FieldCodingKey(name))
        } catch {
            let raw = (try? value.encoded()) ?? .text("\(value)")
            throw FieldProblem(name, FieldFault(.form, wanted: "what can be encoded: \(error)", value: raw))
        }
    }
}
