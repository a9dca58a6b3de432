/// The members that make a struct a group of fields, or the value of one.
struct NestedCode {
    private let shape: NestedShape
    private let access: String

    init(_ shape: NestedShape) { (self.shape, access) = (shape, shape.access.ofMember) }

    var members: [[String]] {
        memberwiseInit + [shape.fields.names(shape.access), fieldNames, sourceInit, write]
    }

    /// The members of a struct that is one value: its keys are nobody else's business.
    var membersOfValue: [[String]] {
        let names = shape.fields.isEmpty ? [] : [shape.fields.hiddenNames]
        return memberwiseInit + names + [sourceInit, write]
    }

    private var memberwiseInit: [[String]] { shape.hasOwnInit ? [] : shape.fields.memberwiseInits(shape.access) }

    private var fieldNames: [String] {
        .fieldNames(
            shape.fields.map { field in
                // A conversion reads one field.
                field.conversion == nil ? .fieldNames(field.field, of: field.type) : "[\(field.field.literal)]"
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
            shape.fields.flatMap { $0.writing($0.name(among: "sink")) })
    }
}

extension String {
    /// The expression of the names of all fields of a property or a payload.
    static func fieldNames(_ field: String, of type: PropertyType) -> String {
        "ModelRecord.FieldName.members(\(field.literal), of: \(type.wrapped).self)"
    }
}

extension [String] {
    /// The static property with the names of all fields of a group.
    static func fieldNames(_ parts: [String], _ access: String) -> [String] {
        .list("\(access)static let fieldNames: [String] = [", parts, "].flatMap(\\.self)")
    }
}
