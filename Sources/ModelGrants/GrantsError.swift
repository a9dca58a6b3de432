/// A text that is no file of grants. Nothing of it counts.
public struct GrantsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file.
    public let file: String
    /// All faults, in the order of the file; at least one.
    public let problems: [GrantsProblem]

    /// One line for each problem, as compilers write them.
    public var description: String { problems.map { "\(file):\($0)" }.joined(separator: "\n") }
}
