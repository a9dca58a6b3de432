/// What of a schema cannot become Swift, where it stands, and what to do.
public struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    public let file: String
    /// The place in it, as a JSON pointer (RFC 6901); empty for the whole of it.
    public let pointer: String
    /// What is wrong, and what to do.
    public let message: String

    public init(file: String, pointer: String, _ message: String) {
        (self.file, self.pointer, self.message) = (file, pointer, message)
    }

    public var description: String { "\(file)\(pointer.isEmpty ? "" : "#\(pointer)"): \(message)" }
}

/// Collects problems; each is told once, however often its place is read.
final class Findings {
    private(set) var problems: [SchemaProblem] = []

    func report(_ message: String, at node: SchemaNode, _ key: String? = nil) {
        let pointer = key.map { node.pointer / $0 } ?? node.pointer
        add(SchemaProblem(file: node.file.path, pointer: pointer.description, message))
    }

    func add(_ problem: SchemaProblem) {
        if !problems.contains(problem) { problems.append(problem) }
    }
}
