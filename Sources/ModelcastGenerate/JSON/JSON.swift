/// A value of JSON. Objects keep the order of the text, and numbers their spelling. Foundation's readers lose both, and
/// generated properties must stand in the order of the schema.
enum JSON: Hashable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case array([JSON])
    case object(JSONObject)

    /// The kind of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .text: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var array: [JSON]? { if case .array(let array) = self { array } else { nil } }
    var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// The value as an integer, also of `3.0` and `3e2`, because JSON has one kind of number; nil for other values.
    var integer: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text) ?? Double(text).flatMap(Int.init(exactly:))
    }

    var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }
}

/// The members of an object, in the order of the text.
struct JSONObject: Hashable {
    struct Member: Hashable {
        let key: String
        let value: JSON
    }

    private(set) var members: [Member] = []

    var keys: [String] { members.map(\.key) }

    /// - Complexity: O(*members*), which are few in a schema.
    subscript(key: String) -> JSON? { members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value }

    mutating func append(_ key: String, _ value: JSON) { members.append(Member(key: key, value: value)) }
}
