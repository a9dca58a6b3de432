/// The members that make a struct a `Model`.
struct ConformanceCode {
    private let shape: ModelShape
    private let access: String
    /// The description is among the members.
    private let isDescribed: Bool

    /// - Parameter isDescribed: the compiler asks for a description; one of the struct's own takes its place.
    init(_ shape: ModelShape, isDescribed: Bool) {
        (self.shape, access) = (shape, shape.access.ofMember)
        self.isDescribed = isDescribed && !shape.hasOwnDescription
    }

    var members: [[String]] {
        var members: [[String]] = []
        if !shape.own.contains(.modelType) {
            members.append(["\(access)static var modelType: Swift.String { \(shape.typeName.literal) }"])
        }
        if shape.id.plainName != "id" {
            members.append(["\(access)var id: \(shape.id.type.text) { \(shape.id.name) }"])
        }
        if !shape.fields.isEmpty {
            members +=
                shape.fields.declarations(access, shape.access) + [shape.fields.names(shape.access)]
        }
        members += [properties, recordInit]
        if !shape.own.contains(.decoderInit) { members.append(decoderInit) }
        if !shape.own.contains(.encode) { members.append(encode) }
        members.append(write)
        if !shape.fields.isEmpty { members.append(diff) }
        if !shape.tracked.isEmpty { members.append(unknownFields) }
        members.append(shape.own.contains(.equality) ? .ownEquality(access) : equality)
        if !shape.own.contains(.hash) { members.append(hash) }
        if isDescribed { members.append(description) }
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
            "\(access)init(from decoder: any Swift.Decoder) throws",
            ["self = try Partial(from: decoder).complete(from: decoder)"])
    }

    private var encode: [String] { .encode(shape, access) }

    private var write: [String] {
        .block(
            "\(access)func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem)",
            .puttingKnown(shape.fields, areTracked: !shape.tracked.isEmpty))
    }

    /// The function that compares properties, and encodes those that differ only.
    private var diff: [String] {
        let sets = shape.tracked.isEmpty ? "" : "unknownFields, old.unknownFields"
        return .block(
            "\(access)func diff(from old: \(shape.name)) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields",
            ["var diff = ModelTypes.FieldDiff(\(sets))"]
                + shape.fields.enumerated().flatMap { place, field in field.comparing(at: place) }
                + ["return try diff.finish()"])
    }

    private var unknownFields: [String] { .unknownFields(shape.tracked, shape.unread, access) }

    private var equality: [String] {
        let names = shape.tracked.isEmpty ? [] : ["unknownFields"]
        return .equality(
            of: shape.name, [shape.id.name.compared] + shape.fields.map(\.compared) + names.map(\.compared), access)
    }

    /// By the id alone: few sets hold several states of a model, and a line for each property takes the compiler long.
    private var hash: [String] { .hash([shape.id.name(among: "hasher")], access) }

    private var description: [String] {
        if shape.fields.contains(where: \.isWrapped) {
            return .description(
                shape.name.literal, ["text.add(\(shape.id.plainName.literal), \(shape.id.name))"], shape.fields,
                areTracked: !shape.tracked.isEmpty, access)
        }
        let names = shape.fields.enumerated().map { place, field in
            "\(place == 0 ? "fields: " : "")\(field.plainName.literal)"
        }
        let unknown = shape.tracked.isEmpty ? [] : ["unless: unknownFields"]
        let arguments = ["self", shape.name.literal, "id: \(shape.id.plainName.literal)"] + unknown + names
        return .block(
            "\(access)var description: Swift.String", .list("ModelTypes.ModelText.of(", arguments, ")"))
    }
}

extension [String] {
    /// The property with the fields that are unknown.
    /// - Parameters:
    ///   - tracked: the properties that may be nil, or have their default, for such a field.
    ///   - unread: the name of the property with the fields that were unknown at first.
    static func unknownFields(
        _ tracked: [(place: Int, field: StoredProperty)], _ unread: String, _ access: String
    ) -> [String] {
        let removals = tracked.map { place, field in
            "unknown.remove(\(place), where: \(field.unread(field.name(among: "unknown"))))"
        }
        return .block(
            "\(access)var unknownFields: ModelTypes.FieldSet",
            ["var unknown = \(unread)"] + removals + ["return unknown"])
    }

    /// The description, property by property: without reflection.
    /// - Parameters:
    ///   - name: the expression of the type's name.
    ///   - first: the statements before those of the fields.
    ///   - areTracked: the type keeps account of fields that are unknown.
    static func description(
        _ name: String, _ first: [String], _ fields: [StoredProperty], areTracked: Bool, _ access: String
    ) -> [String] {
        let adding = fields.enumerated().map { place, field in
            let add = "text.add(\(field.plainName.literal), \(field.name(among: "text", "unknown")))"
            return areTracked && field.isTracked ? "if !unknown.contains(\(place)) { \(add) }" : add
        }
        let unknown = areTracked ? ["let unknown = unknownFields"] : []
        return .block(
            "\(access)var description: Swift.String",
            ["var text = ModelTypes.ModelText(\(name))"] + unknown + first + adding + ["return text.description"])
    }

    /// The statements that write the known ones of these fields into `sink`.
    /// - Parameter areTracked: the type keeps account of fields that are unknown.
    static func puttingKnown(_ fields: [StoredProperty], areTracked: Bool) -> [String] {
        let unknown = areTracked ? ["let unknown = unknownFields"] : []
        return unknown
            + fields.enumerated().flatMap { place, field in
                let value = areTracked ? field.name(among: "unknown", "sink") : field.name(among: "sink")
                let condition = areTracked && field.isTracked ? "unknown.contains(\(place))" : nil
                return field.putting(field.operand(value), checked: value, unless: condition)
            } + .checkProblem(fields)
    }

    /// The function that encodes a model, or what is known of it.
    static func encode(_ shape: ModelShape, _ access: String) -> [String] {
        let key = shape.idKey.map { ", id: \($0)" } ?? ""
        return .block(
            "\(access)func encode(to encoder: any Swift.Encoder) throws",
            ["try ModelTypes.FieldEncoder.encode(self\(key), to: encoder)"])
    }
}
