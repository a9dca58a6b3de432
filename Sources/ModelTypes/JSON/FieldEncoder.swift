import ModelRecord

/// Writes the fields of a model to an `Encoder`: the reverse of ``FieldDecoder``.
///
/// A group of fields is an object within, and a field with dots in its name stands in such an object.
public struct FieldEncoder: FieldSink {
    private var container: KeyedEncodingContainer<FieldCodingKey>
    /// The objects that fields with dots in their names have opened.
    private var objects: [String: FieldEncoder] = [:]
    /// Sum types are read back, where their JSON does not name the case.
    private var checksCases: Bool
    /// The key that says which case of a sum type the object is; nil for another object. No field may have it.
    var tag: String?
    public var problem: FieldProblem?

    /// Begins an object and writes the id.
    /// - Parameters:
    ///   - encoder: where the object is written.
    ///   - id: the model's id.
    ///   - key: the id's name in JSON. One with dots stands in an object within, as a field does.
    /// - Throws: the encoder's error.
    public init(_ encoder: any Encoder, id: some ModelID, as key: String = "id") throws {
        self.init(encoder.container(keyedBy: FieldCodingKey.self))
        try encode(id, as: key)
    }

    private mutating func encode(_ id: some ModelID, as name: String) throws {
        guard let dot = name.firstIndex(of: ".") else {
            return try container.encode(id, forKey: FieldCodingKey(name))
        }
        let outer = String(name[..<dot])
        var object = open(FieldCodingKey(outer))
        try object.encode(id, as: String(name[name.index(after: dot)...]))
        objects[outer] = object
    }

    init(_ container: KeyedEncodingContainer<FieldCodingKey>, checksCases: Bool = true) {
        (self.container, self.checksCases) = (container, checksCases)
    }

    public mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        try within(name) { object, key throws(FieldProblem) in try object.write(value, at: key) }
    }

    public mutating func writeGroup<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        try within(name) { object, key throws(FieldProblem) in
            if let value { try object.write(value, at: key) } else { try object.write(Value.null, at: key) }
        }
    }

    /// Calls `body` with the object in which a name stands, and the key there.
    private mutating func within(
        _ name: String, _ body: (inout FieldEncoder, FieldCodingKey) throws(FieldProblem) -> Void
    ) throws(FieldProblem) {
        guard let dot = name.firstIndex(of: ".") else { return try body(&self, FieldCodingKey(name)) }
        let outer = String(name[..<dot])
        try checkTag(outer)
        var object = objects[outer] ?? open(FieldCodingKey(outer))
        defer { objects[outer] = object }
        do {
            try object.within(String(name[name.index(after: dot)...]), body)
        } catch {
            throw FieldProblem(FieldName.path(outer, error.field), error.fault)
        }
    }

    /// Begins an object under a key.
    mutating func open(_ key: FieldCodingKey) -> FieldEncoder {
        FieldEncoder(container.nestedContainer(keyedBy: FieldCodingKey.self, forKey: key), checksCases: checksCases)
    }

    /// Refuses a field in the place of the tag: it would be read back as another case.
    private func checkTag(_ key: String) throws(FieldProblem) {
        guard let tag, key == tag else { return }
        let wanted = "under another name: \(tag) says which case this is"
        throw FieldProblem(key, FieldFault(.form, wanted: wanted, value: .text(key)))
    }

    /// Writes a value under a key, which may have dots.
    mutating func write<T: FieldValue>(_ value: T, at key: FieldCodingKey) throws(FieldProblem) {
        try checkTag(key.stringValue)
        do {
            try container.encode(value, forKey: key)
        } catch {
            throw FieldProblem(key.stringValue, fault(error, of: value))
        }
    }

    /// The fault of a value that cannot be encoded.
    private func fault<T: FieldValue>(_ error: any Error, of value: T) -> FieldFault {
        guard case .invalidValue(_, let context)? = error as? EncodingError,
            let problem = context.underlyingError as? FieldProblem
        else {
            let raw = (try? value.encoded()) ?? .text("\(value)")
            return FieldFault(.form, wanted: "what can be encoded: \(error)", value: raw)
        }
        // A struct within has said it already.
        let fault = problem.fault(within: "\(T.self)")
        let path = context.codingPath.dropFirst(container.codingPath.count + 1)
        return fault.within(path.text(endingIn: fault.part))
    }

    /// Writes a group under a key, which may have dots.
    mutating func write<T: FieldGroup>(_ value: T, at key: FieldCodingKey) throws(FieldProblem) {
        try checkTag(key.stringValue)
        do {
            if T.isOneOf {
                var sink = OneOfEncoder(T.jsonForm, within: self, key)
                try value.write(into: &sink)
                try sink.finish()
                if checksCases, sink.isAlone { try checkCase(of: value) }
            } else {
                var object = open(key)
                try value.write(into: &object)
            }
        } catch {
            throw FieldProblem(FieldName.path(key.stringValue, error.field), error.fault)
        }
    }
}

extension FieldEncoder {
    /// Encodes a model as an object with its id and its known fields. For generated code.
    /// - Parameters:
    ///   - model: the model.
    ///   - key: the id's name in JSON.
    ///   - encoder: where the object is written.
    /// - Throws: `EncodingError` with the path of a field that cannot be encoded; its cause is the ``FieldProblem``.
    public static func encode(_ model: some Model, id key: String = "id", to encoder: any Encoder) throws {
        var sink = try FieldEncoder(encoder, id: model.id, as: key)
        do { try model.write(into: &sink) } catch { throw EncodingError(error, of: model, encoder.codingPath) }
    }

    /// Encodes what is known of a model. For generated code.
    /// - Parameters:
    ///   - partial: what is known.
    ///   - key: the id's name in JSON.
    ///   - encoder: where the object is written.
    /// - Throws: `EncodingError` with the path of a field that cannot be encoded; its cause is the ``FieldProblem``.
    public static func encode(_ partial: some PartialModel, id key: String = "id", to encoder: any Encoder) throws {
        var sink = try FieldEncoder(encoder, id: partial.id, as: key)
        do { try partial.write(into: &sink) } catch { throw EncodingError(error, of: partial, encoder.codingPath) }
    }
}
