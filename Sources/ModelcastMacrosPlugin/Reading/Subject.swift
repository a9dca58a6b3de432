/// The macro that a type is made something by.
enum Subject: String {
    case model = "Model"
    case nested = "Nested"
    case oneOf = "OneOf"

    var attribute: String { "@\(rawValue)" }

    /// What it makes.
    var noun: String { self == .model ? "a model" : "a group of fields" }
    /// What the type declares.
    var member: String { self == .oneOf ? "case" : "property" }
    /// What that is on the wire.
    var part: String { self == .oneOf ? "case" : "field" }
}
