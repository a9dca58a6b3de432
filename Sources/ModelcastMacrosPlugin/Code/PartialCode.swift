/// The code of `Partial`, the type with the known fields of a model.
struct PartialCode {
    private let shape: ModelShape
    private let access: String
    private let idType: String

    init(_ shape: ModelShape) {
        (self.shape, access, idType) = (shape, shape.access.ofMember, shape.id.type.text)
    }

    var lines: [String] {
        var members = [properties, emptyInit, recordInit, decoderInit, sourceInit, model, problems, write, encode]
        if !shape.hasDescriptionField { members.append(description) }
        if !shape.constants.isEmpty { members.append(ConstantsCode(shape).ofPartial) }
        let described = shape.hasDescriptionField ? "" : ", CustomStringConvertible"
        return ["/// What is known of a ``\(shape.name)``, field by field."]
            + .block("\(access)struct Partial: ModelTypes.PartialModel, Codable\(described)", .spaced(members))
    }

    private var properties: [String] {
        var lines = shape.id.documentation + ["\(access)let id: \(idType)"]
        for field in shape.fields {
            lines += field.documentation
            let state = "ModelTypes.FieldState<\(field.type.wrapped)>"
            lines.append("\(shape.access.ofPart(field))var \(field.name): \(state) = .unknown")
        }
        return lines
    }

    private var emptyInit: [String] {
        ["/// Of this model nothing is known yet."]
            + .block("\(access)init(id: \(idType))", ["self.id = id"])
    }

    private var recordInit: [String] {
        .block(
            "\(access)init(id: \(idType), record: ModelRecord.CellRecord)",
            ["var reader = ModelTypes.FieldReader(record)", "self.init(id: id, reading: &reader)"])
    }

    private var decoderInit: [String] {
        .block(
            "\(access)init(from decoder: any Decoder) throws",
            [
                "var decoder = try ModelTypes.FieldDecoder(decoder)",
                "self.init(id: try decoder.id(\(shape.idKey ?? "")), reading: &decoder)",
            ])
    }

    /// The initialiser that reads the fields, in the order in which a record has them.
    private var sourceInit: [String] {
        let sorted = shape.fields.sorted { left, right in
            let (one, other) = (Array(left.field.utf8), Array(right.field.utf8))
            return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
        }
        let lines = sorted.map { field in
            "\(field.name(among: "source", "id")) = \(field.reading)"
        }
        return .block(
            "private init(id: \(idType), reading source: inout some ModelTypes.FieldSource)", ["self.id = id"] + lines)
    }

    private var model: [String] {
        let arguments = shape.properties.compactMap { property -> String? in
            switch property.role {
            case .id: "\(property.label): id"
            case .field: "\(property.label): \(property.value(of: property.name))"
            // An initialiser of the user's own may have no default for it.
            case .local: shape.hasOwnInit ? "\(property.label): \(property.memberwiseDefault ?? "nil")" : nil
            }
        }
        let header = "\(access)func model() throws(ModelTypes.FieldProblem) -> \(shape.name)"
        if shape.tracked.isEmpty { return .block(header, .list("\(shape.name)(", arguments, ")")) }
        let marks = shape.tracked.flatMap { place, field in
            [String].block("if !\(field.name).isKnown", ["model.\(shape.unread).insert(\(place))"])
        }
        return .block(header, .list("var model = \(shape.name)(", arguments, ")") + marks + ["return model"])
    }

    private var problems: [String] {
        let header = "\(access)var problems: [ModelTypes.FieldProblem]"
        if shape.fields.isEmpty { return ["\(header) { [] }"] }
        let elements = shape.fields.map { field in
            let isRequired = !field.type.isOptional && field.defaultValue == nil
            return "\(field.name).\(isRequired ? "problem" : "optionalProblem")(\(field.fieldName)),"
        }
        return .block(
            header, ["let problems = ["] + elements.indented() + ["]", "return problems.compactMap(\\.self)"])
    }

    private var write: [String] {
        .block(
            "\(access)func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem)",
            shape.fields.flatMap { field in
                let name = field.name(among: "sink")
                return field.writing(name, checked: "\(name).value")
            })
    }

    private var encode: [String] { .encode(shape, access) }

    private var description: [String] {
        let parts = shape.fields.map { "text.add(\($0.plainName.literal), \($0.name(among: "text")))" }
        return .block(
            "\(access)var description: String",
            ["var text = ModelTypes.ModelText(\("\(shape.name).Partial".literal))", "text.add(\"id\", id)"] + parts
                + ["return text.description"])
    }
}
