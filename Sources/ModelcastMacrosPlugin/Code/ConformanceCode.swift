/// The members that make a struct a `Model`.
struct ConformanceCode {
    private let shape: ModelShape
    private let access: String

    init(_ shape: ModelShape) { (self.shape, access) = (shape, shape.access.ofMember) }

    var members: [[String]] {
        var members: [[String]] = []
        if !shape.own.contains(.modelType) {
            members.append(["\(access)static var modelType: String { \(shape.typeName.literal) }"])
        }
        if shape.id.plainName != "id" {
            members.append(["\(access)var id: \(shape.id.type.text) { \(shape.id.name) }"])
        }
        if !shape.fields.isEmpty { members.append(shape.fields.names(shape.access)) }
        members += [properties, recordInit]
        if !shape.own.contains(.decoderInit) { members.append(decoderInit) }
        if !shape.own.contains(.encode) { members.append(encode) }
        members.append(write)
        if !shape.fields.isEmpty { members.append(diff) }
        if !shape.tracked.isEmpty { members.append(unknownFields) }
        if !shape.own.contains(.equality) { members.append(equality) }
        if !shape.own.contains(.hash) { members.append(hash) }
        if !shape.hasOwnDescription { members.append(description) }
        members.append(PartialCode(shape).lines)
        if !shape.constants.isEmpty { members += ConstantsCode(shape).members }
        return members
    }

    private var properties: [String] {
        let header = "\(access)static let properties: [ModelTypes.ModelProperty<\(shape.name)>] = ["
        if shape.fields.isEmpty { return [header + "]"] }
        let elements = shape.fields.map { field in
            let constant = field.isConstant ? ", isConstant: true" : ""
            return "ModelTypes.ModelProperty(\\.\(field.name), \(field.fieldName)\(constant)),"
        }
        return [header] + elements.indented() + ["]"]
    }

    private var recordInit: [String] {
        .block(
            "\(access)init(id: \(shape.id.type.text), record: ModelRecord.CellRecord) throws(ModelTypes.FieldProblem)",
            ["self = try Partial(id: id, record: record).model()"])
    }

    private var decoderInit: [String] {
        .block(
            "\(access)init(from decoder: any Decoder) throws",
            ["self = try Partial(from: decoder).complete(from: decoder)"])
    }

    private var encode: [String] { .encode(shape, access) }

    private var write: [String] {
        .block(
            "\(access)func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem)",
            knownOnly { $0.writing($0.name(among: "unknown", "sink")) })
    }

    /// The function that compares properties, and encodes those that differ only.
    private var diff: [String] {
        var lines = ["var sink = ModelTypes.FieldWriter()"]
        if !shape.tracked.isEmpty { lines.append("let (unknown, oldUnknown) = (unknownFields, old.unknownFields)") }
        for (place, field) in shape.fields.enumerated() {
            let name = field.name(among: "old", "sink", "unknown", "oldUnknown")
            let differs = "\(name) != old.\(field.name)"
            let writing = field.writing(name, insteadOf: "old.\(field.name)")
            guard field.isTracked else {
                lines += .block("if \(differs)", writing)
                continue
            }
            let unwriting = "sink.writeUnknown(\(field.field.literal), \(field.form))"
            lines += .block(
                "if unknown.contains(\(place))", .block("if !oldUnknown.contains(\(place))", [unwriting]),
                else: "if \(differs) || oldUnknown.contains(\(place))", writing)
        }
        return .block(
            "\(access)func diff(from old: \(shape.name)) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields",
            lines + ["return sink.fields"])
    }

    private var unknownFields: [String] {
        let removals = shape.tracked.flatMap { place, field in
            [String].block("if \(field.name(among: "unknown")) != nil", ["unknown.remove(\(place))"])
        }
        return .block(
            "\(access)var unknownFields: ModelTypes.FieldSet",
            ["var unknown = \(shape.unread)"] + removals + ["return unknown"])
    }

    private var equality: [String] {
        var terms = ([shape.id] + shape.fields).map { "left.\($0.name) == right.\($0.name)" }
        if !shape.tracked.isEmpty { terms.append("left.unknownFields == right.unknownFields") }
        let lines = [terms[0]] + terms.dropFirst().map { "&& \($0)" }.indented()
        return .block("\(access)static func == (left: \(shape.name), right: \(shape.name)) -> Bool", lines)
    }

    private var hash: [String] {
        .block(
            "\(access)func hash(into hasher: inout Hasher)",
            ([shape.id] + shape.fields).map { "hasher.combine(\($0.name(among: "hasher")))" })
    }

    private var description: [String] {
        func adding(_ property: StoredProperty) -> [String] {
            ["text.add(\(property.plainName.literal), \(property.name(among: "unknown", "text")))"]
        }
        var lines = knownOnly(adding)
        let place = shape.tracked.isEmpty ? 0 : 1
        lines.insert(
            contentsOf: ["var text = ModelTypes.ModelText(\(shape.name.literal))"] + adding(shape.id), at: place)
        return .block("\(access)var description: String", lines + ["return text.description"])
    }

    /// Statements for each field. Those of tracked fields run only where the field is known.
    private func knownOnly(_ statements: (StoredProperty) -> [String]) -> [String] {
        var lines = shape.tracked.isEmpty ? [] : ["let unknown = unknownFields"]
        for (place, field) in shape.fields.enumerated() {
            let statements = statements(field)
            lines += field.isTracked ? .block("if !unknown.contains(\(place))", statements) : statements
        }
        return lines
    }
}

extension [String] {
    /// The function that encodes a model, or what is known of it.
    static func encode(_ shape: ModelShape, _ access: String) -> [String] {
        let key = shape.idKey.map { ", id: \($0)" } ?? ""
        return .block(
            "\(access)func encode(to encoder: any Encoder) throws",
            ["try ModelTypes.FieldEncoder.encode(self\(key), to: encoder)"])
    }
}
