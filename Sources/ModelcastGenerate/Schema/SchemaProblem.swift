/// A part of a schema that cannot become Swift, its place, and what to do.
public struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, as the caller gave it.
    public let file: String
    /// The line of the place, the first being 1; nil where the file could not be read.
    public let line: Int?
    /// The column of the place in bytes, the first being 1; nil where the file could not be read.
    public let column: Int?
    /// The place in the file, as a JSON pointer (RFC 6901); empty for the whole file.
    public let pointer: String
    /// The fault, and what to do.
    public let message: String

    /// A problem at a place of a file.
    public init(file: String, line: Int? = nil, column: Int? = nil, pointer: String, _ message: String) {
        (self.file, self.line, self.column, self.pointer, self.message) = (file, line, column, pointer, message)
    }

    /// File, place and message in one line, as compilers write them: `FILE:LINE:COLUMN: message (#POINTER)`.
    public var description: String {
        let place = line.map { ":\($0):\(column ?? 1)" } ?? ""
        return "\(file)\(place): \(message)\(pointer.isEmpty ? "" : " (#\(pointer))")"
    }
}

/// Collects problems. Each is kept once, however often its place is read.
final class ProblemCollector {
    private(set) var problems: [SchemaProblem] = []
    private var known: Set<SchemaProblem> = []

    func report(_ message: String, at node: SchemaNode, _ key: String? = nil) {
        let pointer = key.map { node.pointer / $0 } ?? node.pointer
        let (line, column) = node.file.place(of: pointer)
        add(
            SchemaProblem(
                file: node.file.path, line: line, column: column, pointer: pointer.description, message))
    }

    func add(_ problem: SchemaProblem) {
        if known.insert(problem).inserted { problems.append(problem) }
    }
}
