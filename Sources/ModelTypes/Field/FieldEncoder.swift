import ModelRecord

/// Writes the fields of a model to an `Encoder`: the reverse of ``FieldDecoder``.
public struct FieldEncoder: FieldSink {
    private var container: KeyedEncodingContainer<FieldCodingKey>

    /// Begins an object and writes the id.
    /// - Throws: the encoder's error.
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
