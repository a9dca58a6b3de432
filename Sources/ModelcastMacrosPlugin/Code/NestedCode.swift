/// The members that make a struct a group of fields, or the value of one.
struct NestedCode {
    private let shape: NestedShape
    private let access: String

    init(_ shape: NestedShape) { (self.shape, access) = (shape, shape.access.ofMember) }

    var members: GroupMembers {
        let names =
            shape.fields.declarations(access, shape.access, checksTypes: false) + [shape.fields.names(shape.access)]
        return GroupMembers(inType: memberwiseInit + names + [fieldNames, sourceInit, write], inExtension: equality)
    }

    /// The members of a struct that is one value: its keys are nobody else's business.
    var membersOfValue: GroupMembers {
        let names =
            shape.fields.isEmpty
            ? [] : shape.fields.declarations("private ", .file, checksTypes: false) + [shape.fields.hiddenNames]
        return GroupMembers(inType: memberwiseInit + names + [sourceInit, write], inExtension: equality)
    }

    /// Written out: where a type is none of a field, a derived conformance would be another error.
    private var equality: [[String]] {
        guard !shape.fields.isEmpty else { return [] }
        let equality = [String].equality(of: "Self", shape.fields.map(\.compared), access)
        return [shape.own.contains(.equality) ? .ownEquality(access) : equality]
            + (shape.own.contains(.hash) ? [] : [.hash(shape.fields.map(\.hashed), access)])
    }

    private var memberwiseInit: [[String]] { shape.hasOwnInit ? [] : shape.fields.memberwiseInits(shape.access) }

    private var fieldNames: [String] {
        .fieldNames(
            shape.fields.map { field in
                // A conversion reads one field.
                field.conversion == nil ? .fieldNames(field.field, of: field.typeName) : "[\(field.field.literal)]"
            }, access)
    }

    private var sourceInit: [String] {
        let arguments = shape.fields.map { "\($0.label): \($0.value(of: $0.reading))" }
        return .block(
            "\(access)init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem)",
            .list("self.init(", arguments, ")"))
    }

    private var write: [String] {
        .block(
            "\(access)func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem)",
            shape.fields.flatMap { $0.putting($0.operand($0.name(among: "sink")), checked: $0.name(among: "sink")) }
                + .checkProblem(shape.fields))
    }
}

extension String {
    /// The expression of the names of all fields of a property or a payload.
    static func fieldNames(_ field: String, of type: String) -> String {
        "ModelRecord.FieldName.members(\(field.literal), of: \(type).self)"
    }
}

extension [String] {
    /// The static property with the names of all fields of a group.
    static func fieldNames(_ parts: [String], _ access: String) -> [String] {
        .list("\(access)static let fieldNames: [String] = [", parts, "].flatMap(\\.self)")
    }
}
