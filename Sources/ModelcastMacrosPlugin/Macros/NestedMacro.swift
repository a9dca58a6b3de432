public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Nested`: makes a struct a `FieldGroup`.
public struct NestedMacro: GroupMacro {
    /// The members of the struct; nil for one with problems.
    public static func members(
        of declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, within lexicalContext: [Syntax],
        telling context: (any MacroExpansionContext)?
    ) -> GroupMembers? {
        var reader = NestedReader(.nested, lexicalContext)
        let shape = reader.read(declaration, attribute)
        if let context { reader.findings.tell(context) }
        return shape.map { NestedCode($0).members }
    }
}
