import ModelRecord
import ModelSync

/// Which model.
struct ModelKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    let type: String
    let id: String

    var description: String { "\(type)/\(id)" }

    static func < (left: ModelKey, right: ModelKey) -> Bool {
        (left.type, left.id) < (right.type, right.id)
    }
}

/// The known fields of a model and their values.
typealias Contents = [String: Value]

/// What a write does to one model, as one publisher's writes follow each other: the last one wins.
struct ModelStep: Sendable, Hashable, CustomStringConvertible {
    let key: ModelKey
    let write: Write
    /// `.undefined` makes a field unknown. Empty for a delete.
    let fields: Contents

    /// The model after it.
    /// - Parameter contents: nil where it does not exist.
    func applied(to contents: Contents?) -> Contents? {
        switch write {
        case .delete: return nil
        case .replace, .assign: return fields.filter { $0.value != .undefined }
        case .merge:
            var result = contents ?? [:]
            for (field, value) in fields {
                if value == .undefined { result.removeValue(forKey: field) } else { result[field] = value }
            }
            return result
        }
    }

    var description: String { "\(write) \(key) \(ModelStep.text(fields))" }

    /// Contents for a person, in a certain order.
    static func text(_ contents: Contents?) -> String {
        guard let contents else { return "absent" }
        return "[" + contents.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "]"
    }
}
