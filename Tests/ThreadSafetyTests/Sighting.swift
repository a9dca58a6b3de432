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
        }
    }

    var description: String {
        switch self {
        case .exactly(let contents): ModelStep.text(contents)
        case .fields(let contents): "fields \(ModelStep.text(contents))"
        case .unchanged(let steps): "unchanged by \(steps)"
        case .refusing(let field, let value): "refuses \(field): \(value)"
        }
    }
}
