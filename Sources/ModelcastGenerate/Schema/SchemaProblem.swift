/// A part of a schema that cannot become Swift, its place, and what to do.
public struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, as the caller gave it.
    public let file: String
    /// The place in the file, as a JSON pointer (RFC 6901); empty for the whole file.
    public let pointer: String
    /// What is wrong, and what to do.
    public let message: String

    /// A problem at a place of a file.
    public init(file: String, pointer: String, _ message: String) {
        (self.file, self.pointer, self.message) = (file, pointer, message)
    }

    /// File, place and message in one line: `FILE#POINTER: message`.
    public var description: String { "\(file)\(pointer.isEmpty ? "" : "#\(pointer)"): \(message)" }
}

/// Collects problems. Each is kept once, however often its place is read.
final class ProblemCollector {
    private(set) var problems: [SchemaProblem] = []

    func report(_ message: String, at node: SchemaNode, _ key: String? = nil) {
        let pointer = key.map { node.pointer / $0 } ?? node.pointer
        add(SchemaProblem(file: node.file.path, pointer: pointer.description, message))
    }

    func add(_ problem: SchemaProblem) {
        if !problems.contains(problem) { problems.append(problem) }
    }
}
