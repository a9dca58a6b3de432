import ModelRecord

#if canImport(FoundationEssentials)
    import class FoundationEssentials.JSONDecoder
    import class FoundationEssentials.JSONEncoder
#else
    import class Foundation.JSONDecoder
    import class Foundation.JSONEncoder
#endif

/// Writes a sum type to JSON, in the form that its type has.
struct OneOfEncoder: FieldSink {
    private let form: OneOfForm
    /// The object that has the sum type under ``key``.
    private var outer: FieldEncoder
    private let key: FieldCodingKey
    private var caseName = ""
    /// The object with the fields of the payload, which is begun with the first of them.
    private var object: FieldEncoder?
    private var isWritten = false
    /// True when a payload was written whose JSON does not name the case.
    private(set) var isAlone = false
    var problem: FieldProblem?

    init(_ form: OneOfForm, within outer: FieldEncoder, _ key: FieldCodingKey) {
        (self.form, self.outer, self.key) = (form, outer, key)
    }

    mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        guard !name.isEmpty else {
            do { caseName = try String(value.encoded()) } catch { throw FieldProblem("", error) }
            return
        }
        isWritten = true
        let label = name.label(behind: caseName) ?? name
        do {
            if !label.isEmpty {
                try fields { object throws(FieldProblem) in try object.write(value, at: FieldCodingKey(label)) }
            } else if form == .keyed {
                var object = outer.open(key)
                try object.write(value, at: FieldCodingKey(caseName))
            } else if case .tagged = form.kind, let structure = value as? any StructuredValue {
                try fields { object throws(FieldProblem) in try structure.write(into: &object) }
            } else {
                isAlone = true
                try outer.write(value, at: key)
            }
        } catch {
            throw FieldProblem(name, error.fault)
        }
    }

    mutating func writeGroup<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem) {
        guard let value else { return try write(name, Value.null) }
        isWritten = true
        let label = name.label(behind: caseName) ?? name
        // The name under which the group is written, which errors begin with.
        var written = ""
        do {
            if !label.isEmpty {
                written = label
                try fields { object throws(FieldProblem) in try object.write(value, at: FieldCodingKey(label)) }
            } else if form == .keyed {
                written = caseName
                var object = outer.open(key)
                try object.write(value, at: FieldCodingKey(caseName))
            } else if case .tagged = form.kind, !T.isOneOf {
                try fields { object throws(FieldProblem) in try value.write(into: &object) }
            } else {
                isAlone = true
                written = key.stringValue
                try outer.write(value, at: key)
            }
        } catch {
            let part = error.field.label(behind: written) ?? error.field
            throw FieldProblem(FieldName.path(name, part), error.fault)
        }
    }

    /// Writes a case without a payload.
    mutating func finish() throws(FieldProblem) {
        guard !isWritten else { return }
        if case .tagged(_, let texts) = form.kind, !texts.contains(caseName) { return try fields { _ in } }
        try outer.write(caseName, at: key)
    }

    /// Calls `body` with the object that has the fields of the payload.
    private mutating func fields(
        _ body: (inout FieldEncoder) throws(FieldProblem) -> Void
    ) throws(FieldProblem) {
        var fields: FieldEncoder
        if let object {
            fields = object
        } else {
            fields = outer.open(key)
            switch form.kind {
            case .keyed: fields = fields.open(FieldCodingKey(caseName))
            case .tagged(let tag, _):
                try fields.write(caseName, at: FieldCodingKey(tag))
                fields.tag = tag
            case .bare: isAlone = true
            }
        }
        defer { object = fields }
        try body(&fields)
    }
}

extension FieldEncoder {
    /// Checks that a sum type whose JSON does not name the case is read back as the same case.
    /// - Throws: ``FieldProblem`` where it is not.
    func checkCase<T: FieldGroup>(of value: T) throws(FieldProblem) {
        // Values that JSON cannot hold are refused by the encoder itself.
        guard let json = try? JSONEncoder().encode(Alone(value: value)) else { return }
        let found: T
        do {
            found = try JSONDecoder().decode(Alone<T>.self, from: json).value
        } catch {
            let wanted = "what JSON tells apart: this would not be read back, \(error)"
            throw FieldProblem("", FieldFault(.form, wanted: wanted, value: .text("\(value)")))
        }
        guard found.caseName != value.caseName else { return }
        let wanted = "what JSON tells apart: this would be read back as \(found.caseName ?? "another case")"
        throw FieldProblem("", FieldFault(.form, wanted: wanted, value: .text("\(value)")))
    }
}

/// A sum type in an object of its own.
private struct Alone<T: FieldGroup>: Codable {
    let value: T

    init(value: T) { self.value = value }

    init(from decoder: any Decoder) throws {
        var source = try FieldDecoder(decoder)
        value = try source.groupState("value", as: T.self).required("value")
    }

    func encode(to encoder: any Encoder) throws {
        var sink = FieldEncoder(encoder.container(keyedBy: FieldCodingKey.self), checksCases: false)
        try sink.writeGroup("value", value)
    }
}

extension FieldGroup {
    /// The name of the case of a sum type.
    fileprivate var caseName: String? {
        var writer = FieldWriter()
        try? write(into: &writer)
        return writer.fields[""]?.textValue
    }
}
