/// All that is wrong with some schemas, in the order of the files.
public struct SchemaProblems: Error, Hashable, Sendable, CustomStringConvertible {
    public let problems: [SchemaProblem]

    public init(_ problems: [SchemaProblem]) { self.problems = problems }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
