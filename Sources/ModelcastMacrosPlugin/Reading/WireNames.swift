import SwiftSyntax

/// The names of fields or cases on the wire within one type. No two have the same.
struct WireNames {
    private let subject: Subject
    private var owners: [[UInt8]: String] = [:]

    init(_ subject: Subject) { self.subject = subject }

    /// Adds a name, or reports it where it is reserved, too long or taken.
    /// - Parameters:
    ///   - owner: the property or the case.
    ///   - node: the place of the name.
    mutating func add(_ name: String, of owner: String, at node: some SyntaxProtocol, _ findings: inout Findings) {
        let bytes = Array(name.utf8)
        if name.isEmpty || subject == .model && name == "id" {
            findings.report(.reservedName(name, subject), at: node)
        } else if bytes.count > 128 {
            findings.report(.longName(subject), at: node)
        } else if let first = owners[bytes] {
            findings.report(.duplicateName(name, first: first, subject), at: node)
        } else {
            owners[bytes] = owner
        }
    }
}
