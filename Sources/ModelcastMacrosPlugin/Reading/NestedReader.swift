import SwiftSyntax

/// A struct with `@Nested` or `@FieldValue`, as it was read.
struct NestedShape {
    let access: Access
    let fields: [StoredProperty]
    /// The struct has an initialiser with the labels of the memberwise one.
    let hasOwnInit: Bool
    /// The members that the struct has of its own.
    let own: Set<OwnMember>
    /// The struct has an instance property `description`, of whatever kind.
    let hasOwnDescription: Bool

    /// The struct keeps account of the fields that were never read. A value is written whole, and does not.
    let keepsAccount: Bool
    /// The modifier of members of its extension, with a space behind it.
    let accessInExtension: String

    /// The fields that may be nil, or have their default, because they are unknown, with their places.
    var tracked: [(place: Int, field: StoredProperty)] { keepsAccount ? fields.tracked : [] }
    /// The name of the stored property with the fields that were unknown when the struct was read.
    var unread: String { fields.nameOfUnread }
}

/// Reads a struct with `@Nested` or `@FieldValue`, and finds all its problems.
struct NestedReader {
    private let subject: Subject
    private let context: [Syntax]
    private var structReader: StructReader

    init(_ subject: Subject, _ context: [Syntax]) {
        (self.subject, self.context, structReader) = (subject, context, StructReader(subject, context))
    }

    var findings: Findings { structReader.findings }

    /// Reads the struct.
    /// - Returns: nil for a struct with problems.
    mutating func read(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> NestedShape? {
        guard let structure = structReader.read(declaration, attribute) else { return nil }
        structReader.findings.checkHash(of: structure)
        let fields = structReader.properties
        if findings.isEmpty, fields.isEmpty, subject == .nested {
            structReader.findings.report(
                .noFields, at: structure.name, .addMember("var <#name#>: <#Type#>", to: structure.memberBlock))
        }
        guard findings.isEmpty else { return nil }
        let access = Access(structure.modifiers)
        return NestedShape(
            access: access, fields: fields, hasOwnInit: structure.hasInitializer(for: fields),
            own: structure.ownMembers, hasOwnDescription: structure.hasDescription, keepsAccount: subject == .nested,
            accessInExtension: access.ofExtensionMember(within: context))
    }
}
