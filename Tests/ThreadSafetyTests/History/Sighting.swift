import ModelRecord

/// What somebody has learned of a model at one moment.
enum Sighting: Sendable, Hashable, CustomStringConvertible {
    /// It had these fields; nil: it did not exist.
    case exactly(Contents?)
    /// It existed, and these fields had these values; null stands for unknown, too.
    case fields(Contents)
    /// It existed or not, and these writes would have changed nothing.
    case unchanged(by: [ModelStep])
    /// It existed, and a constant field had another value than this one.
    case refusing(field: String, Value)
    /// It existed or not, and one field had one of these values; nil: it was unknown.
    case field(String, oneOf: Set<Value?>)
    /// It existed, or it did not.
    case exists(Bool)

    /// The model could have been seen like that when it was `contents`.
    func agrees(with contents: Contents?) -> Bool {
        switch self {
        case .exactly(let seen): return seen == contents
        case .fields(let seen):
            guard let contents else { return false }
            return seen.allSatisfy { (contents[$0.key] ?? .null) == $0.value }
        case .unchanged(let steps): return steps.reduce(contents) { $1.applied(to: $0) } == contents
        case .refusing(let field, let value):
            guard let known = contents?[field], known != .null else { return false }
            return known != value
        case .field(let field, let values): return values.contains(contents?[field])
        case .exists(let exists): return (contents != nil) == exists
        }
    }

    var description: String {
        switch self {
        case .exactly(let contents): ModelStep.text(contents)
        case .fields(let contents): "fields \(ModelStep.text(contents))"
        case .unchanged(let steps): "unchanged by \(steps)"
        case .refusing(let field, let value): "refuses \(field): \(value)"
        case .field(let field, let values):
            "\(field) " + values.map { $0.map { "\($0)" } ?? "unknown" }.sorted().joined(separator: " or ")
        case .exists(let exists): exists ? "exists" : "absent"
        }
    }
}

/// What a reader saw, taken apart; what an outcome tells is of a copy that lacks nothing.
extension Sighting {
    /// The fields that it has values of.
    var fieldNames: [String] {
        switch self {
        case .exactly(let seen): Array((seen ?? [:]).keys)
        case .fields(let seen): Array(seen.keys)
        case .unchanged, .refusing, .field, .exists: []
        }
    }

    /// What it says of one field; nil: nothing.
    subscript(field field: String) -> Sighting? {
        switch self {
        case .exactly(let seen): .field(field, oneOf: [seen?[field]])
        case .fields(let seen): seen[field].map { .field(field, oneOf: $0 == .null ? [nil, $0] : [$0]) }
        case .unchanged, .refusing, .field, .exists: nil
        }
    }

    /// Whether it says that the model exists; nil: nothing.
    var existence: Sighting? {
        switch self {
        case .exactly(let seen): .exists(seen != nil)
        case .fields: .exists(true)
        case .unchanged, .refusing, .field, .exists: nil
        }
    }
}
