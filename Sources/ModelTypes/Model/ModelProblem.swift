/// A record that a Swift type cannot be made of, or a model that cannot travel, because of some of its fields.
public struct ModelProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type on the wire.
    public let type: String
    public let id: String
    /// Which fields, and why; at least one.
    public let problems: [FieldProblem]

    public init(type: String, id: String, _ problems: [FieldProblem]) {
        (self.type, self.id, self.problems) = (type, id, problems)
    }

    public var description: String {
        "\(type) \(id): \(problems.map(\.description).joined(separator: "; "))"
    }
}
