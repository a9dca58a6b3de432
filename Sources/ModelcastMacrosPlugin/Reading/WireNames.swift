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
        } else if name.split(separator: ".", omittingEmptySubsequences: false).contains("") {
            findings.report(.emptyPart(name, subject), at: node)
        } else if let first = owners[bytes] {
            findings.report(.duplicateName(name, first: first, subject), at: node)
        } else if let (other, owner) = overlap(of: bytes) {
            findings.report(
                .overlappingName(name, other: String(decoding: other, as: UTF8.self), owner: owner), at: node)
        } else {
            owners[bytes] = owner
        }
    }

    /// A name that is the beginning of this one, up to a dot, or of which this one is: the fields of a nested struct
    /// have the name of its property before a dot.
    private func overlap(of name: [UInt8]) -> (name: [UInt8], owner: String)? {
        guard subject != .oneOf else { return nil }
        let dot = UInt8(ascii: ".")
        for (other, owner) in owners.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let (short, long) = other.count < name.count ? (other, name) : (name, other)
            if long.starts(with: short), long.dropFirst(short.count).first == dot { return (other, owner) }
        }
        return nil
    }
}
