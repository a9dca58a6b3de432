import ModelRecord

/// The problem of a record that makes no model, or of a model that cannot be published, because of some fields.
public struct ModelProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the type on the wire.
    public let type: String
    /// The model's id; empty where it is not known.
    public let id: String
    /// The fields, and what is wrong with each; at least one.
    public let problems: [FieldProblem]

    /// The problem of one model.
    public init(type: String, id: String, _ problems: [FieldProblem]) {
        (self.type, self.id, self.problems) = (type, id, problems)
    }

    /// The model and its problems, on one line. Long ids and values are shortened.
    public var description: String {
        let model = id.isEmpty ? type : "\(type) \(id.shown(byteCountMax: 80))"
        return "\(model): \(problems.map(\.description).joined(separator: "; "))"
    }
}
