/// A place in a file of grants, with what is wrong there and what to do.
public struct GrantsProblem: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    /// Counted from 1, in characters.
    public let column: Int
    /// The fault, and what would be right.
    public let message: String

    /// `LINE:COLUMN: message`
    public var description: String { "\(line):\(column): \(message)" }
}
