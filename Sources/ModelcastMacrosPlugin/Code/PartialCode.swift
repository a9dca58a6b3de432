/// The code of `Partial`, the type with the known fields of a model.
struct PartialCode {
    private let shape: ModelShape
    private let access: String
    private let idType: String

    init(_ shape: ModelShape) {
        (self.shape, access, idType) = (shape, shape.access.ofMember, shape.id.type.text)
    }

    var lines: [String] {
        var members = [
            properties, emptyInit, recordInit, decoderInit, sourceInit, model, problems, write, encode, equality, hash,
        ]
        if !shape.hasDescriptionField { members.append(description) }
        if !shape.constants.isEmpty { members.append(ConstantsCode(shape).ofPartial) }
        let described = shape.hasDescriptionField ? "" : ", Swift.CustomStringConvertible"
        return ["/// What is known of a ``\(shape.name)``, field by field."]
            + .block("\(access)struct Partial: ModelTypes.PartialModel, Swift.Codable\(described)", .spaced(members))
    }

    private var properties: [String] {
        var lines = shape.id.documentation + ["\(access)let id: \(idType)"]
        for field in shape.fields {
            lines += field.documentation
            let state = "ModelTypes.FieldState<\(field.typeName)>"
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
            "\(access)init(from decoder: any Swift.Decoder) throws",
            [
                "var decoder = try ModelTypes.FieldDecoder(decoder, of: Partial.self)",
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
            case .field: "\(property.label): \(property.foundValue(of: property.name))"
            // An initialiser of the user's own may have no default for it.
            case .local: shape.hasOwnInit ? "\(property.label): \(property.memberwiseDefault ?? "nil")" : nil
            }
        }
        let header = "\(access)func model() throws(ModelTypes.FieldProblem) -> \(shape.name)"
        let check = shape.fields.isEmpty ? [] : ["if let problem = problems.first { throw problem }"]
        let call = [String].list("\(shape.name)(", arguments, ")")
        if shape.tracked.isEmpty { return .block(header, check + ["return \(call[0])"] + call.dropFirst()) }
        let marks = shape.tracked.map { place, field in
            "model.\(shape.unread).insert(\(place), unless: \(field.name(among: "model")).isKnown)"
        }
        return .block(header, check + ["var model = \(call[0])"] + call.dropFirst() + marks + ["return model"])
    }

    private var problems: [String] {
        let header = "\(access)var problems: [ModelTypes.FieldProblem]"
        if shape.fields.isEmpty { return ["\(header) { [] }"] }
        let elements = shape.fields.map { field in
            let isRequired = !field.type.isOptional && field.defaultValue == nil
            let state = field.name(among: "problems")
            return "\(state).\(isRequired ? "require" : "allow")(\(field.field.literal), &problems)"
        }
        return .block(header, ["var problems = ModelTypes.FieldProblems()"] + elements + ["return problems.all"])
    }

    private var write: [String] {
        .block(
            "\(access)func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem)",
            shape.fields.flatMap { field in
                let name = field.name(among: "sink")
                return field.putting(name, checked: "\(name).value")
            } + .checkProblem(shape.fields))
    }

    private var encode: [String] { .encode(shape, access) }

    /// Written, as a derived conformance would be another error where a type is none of a field; and by reflection, as
    /// a call for each property takes the compiler long, and few programs compare partials.
    private var equality: [String] {
        .block(
            "\(access)static func == (left: Partial, right: Partial) -> Swift.Bool",
            ["ModelTypes.FieldRule.areEqual(left, right)"])
    }

    /// By the id alone: what is known of one model stands in no set beside what else is known of it.
    private var hash: [String] { .hash(["id"], access) }

    private var description: [String] {
        .block(
            "\(access)var description: Swift.String",
            ["ModelTypes.ModelText.of(self, \("\(shape.name).Partial".literal))"])
    }
}
