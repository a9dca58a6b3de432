import SwiftSyntax

/// What was read of a struct with `@Nested`.
struct NestedShape {
    let access: Access
    let fields: [StoredProperty]
    /// There is an initialiser with the labels of the memberwise one.
    let hasOwnInit: Bool
}

/// Reads a struct with `@Nested`, and finds all that is wrong with it.
struct NestedReader {
    private var structReader: StructReader

    init(_ context: [Syntax]) { structReader = StructReader(.nested, context) }

    var findings: Findings { structReader.findings }

    /// - Returns: nil if anything is wrong.
    mutating func read(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> NestedShape? {
        guard let structure = structReader.read(declaration, attribute) else { return nil }
        let fields = structReader.properties
        if findings.isEmpty, fields.isEmpty {
            structReader.findings.report(
                .noFields, at: structure.name, .addMember("var <#name#>: <#Type#>", to: structure.memberBlock))
        }
        guard findings.isEmpty else { return nil }
        return NestedShape(
            access: Access(structure.modifiers), fields: fields, hasOwnInit: structure.hasInitializer(for: fields))
    }
}
