/// The members that make a struct a group of fields, or the value of one.
struct NestedCode {
    private let shape: NestedShape
    private let access: String

    init(_ shape: NestedShape) { (self.shape, access) = (shape, shape.access.ofMember) }

    var members: GroupMembers {
        let names =
            shape.fields.declarations(access, shape.access) + [shape.fields.names(shape.access)]
        return GroupMembers(
            inType: storage + memberwiseInit + names + account + [fieldNames, sourceInit, write],
            inExtension: equality, description: description)
    }

    /// The members of a struct that is one value: its keys are nobody else's business.
    var membersOfValue: GroupMembers {
        let names =
            shape.fields.isEmpty
            ? [] : shape.fields.declarations("private ", .file) + [shape.fields.hiddenNames]
        return GroupMembers(inType: memberwiseInit + names + [sourceInit, write], inExtension: equality)
    }

    /// Written out: where a type is none of a field, a derived conformance would be another error.
    private var equality: [[String]] {
        guard !shape.fields.isEmpty else { return [] }
        let unknown = shape.tracked.isEmpty ? [] : ["unknownFields".compared]
        let access = shape.accessInExtension
        let equality = [String].equality(of: "Self", shape.fields.map(\.compared) + unknown, access)
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

    /// The fields that were unknown when the struct was read.
    private var storage: [[String]] {
        shape.tracked.isEmpty ? [] : [["private var \(shape.unread) = ModelTypes.FieldSet()"]]
    }

    /// The members of a struct that keeps account of what it has not read. A `Codable` of its own, which the compiler
    /// derives, has to leave that out.
    private var account: [[String]] {
        guard !shape.tracked.isEmpty else { return [] }
        let keys = shape.fields.map { field in
            field.field == field.plainName ? "case \(field.name)" : "case \(field.name) = \(field.field.literal)"
        }
        return [
            .block("private enum CodingKeys: Swift.String, Swift.CodingKey", keys),
            .unknownFields(shape.tracked, shape.unread, "private "),
        ]
    }

    private var sourceInit: [String] {
        let places = Set(shape.tracked.map(\.place))
        let arguments = shape.fields.enumerated().map { place, field in
            let noting = places.contains(place) ? ".noted(\(place), in: &unread)" : ""
            return "\(field.label): \(field.value(of: field.reading + noting))"
        }
        let call = [String].list("self.init(", arguments, ")")
        let account = ["self.\(shape.unread) = source.isWhole ? ModelTypes.FieldSet() : unread"]
        return .block(
            "\(access)init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem)",
            places.isEmpty ? call : ["var unread = ModelTypes.FieldSet()"] + call + account)
    }

    private var write: [String] {
        .block(
            "\(access)func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem)",
            .puttingKnown(shape.fields, areTracked: !shape.tracked.isEmpty))
    }

    /// Written out where the compiler's would show the account of what was never read, or property wrappers.
    private var description: [[String]] {
        let isWrapped = shape.fields.contains(where: \.isWrapped)
        guard !shape.tracked.isEmpty || isWrapped, !shape.hasOwnDescription else { return [] }
        if isWrapped {
            let isTracked = !shape.tracked.isEmpty
            let access = shape.accessInExtension
            return [.description("\"\\(Self.self)\"", [], shape.fields, areTracked: isTracked, access)]
        }
        let names = shape.fields.map(\.plainName.literal)
        let fields = ["fields: \(names[0])"] + names.dropFirst()
        let arguments = ["self", "\"\\(Self.self)\"", "unless: unknownFields"] + fields
        return [
            .block(
                "\(shape.accessInExtension)var description: Swift.String",
                .list("ModelTypes.ModelText.of(", arguments, ")"))
        ]
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
        .list("\(access)static let fieldNames: [Swift.String] = [", parts, "].flatMap(\\.self)")
    }
}
