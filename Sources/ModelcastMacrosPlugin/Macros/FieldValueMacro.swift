public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@FieldValue`: makes a struct a `StructuredValue`.
public struct FieldValueMacro: GroupMacro {
    /// The struct is the value of one field.
    public static var isValue: Bool { true }

    /// The members of the struct; nil for one with problems.
    public static func members(
        of declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, within lexicalContext: [Syntax],
        telling context: (any MacroExpansionContext)?
    ) -> GroupMembers? {
        var reader = NestedReader(.value, lexicalContext)
        let shape = reader.read(declaration, attribute)
        if let context { reader.findings.tell(context) }
        return shape.map { NestedCode($0).membersOfValue }
    }
}
