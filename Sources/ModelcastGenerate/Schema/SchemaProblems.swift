/// All problems of some schemas, in the order in which they were found.
public struct SchemaProblems: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problems; at least one where this is thrown.
    public let problems: [SchemaProblem]

    /// An error with these problems.
    public init(_ problems: [SchemaProblem]) { self.problems = problems }

    /// The problems, one a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
