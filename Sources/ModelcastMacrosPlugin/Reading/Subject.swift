/// The macro that a type has.
enum Subject: String {
    case model = "Model"
    case nested = "Nested"
    case value = "FieldValue"
    case oneOf = "OneOf"

    var attribute: String { "@\(rawValue)" }

    /// The words for a type with the macro.
    var noun: String {
        switch self {
        case .model: "a model"
        case .value: "the value of a field"
        case .nested, .oneOf: "a group of fields"
        }
    }
    /// The word for a member that the macro reads.
    var member: String { self == .oneOf ? "case" : "property" }
    /// The word for such a member on the wire.
    var part: String {
        switch self {
        case .model, .nested: "field"
        case .value: "key"
        case .oneOf: "case"
        }
    }

    /// The names of the types that the macro always makes within one.
    var generatedTypes: Set<String> {
        let ofFields: Set = ["FieldNames", "FieldTypes", "FieldConversions", "FieldChecks"]
        return switch self {
        case .model: ofFields.union(["Partial"])
        case .nested, .value: ofFields
        case .oneOf: ["FieldTypes"]
        }
    }
}
