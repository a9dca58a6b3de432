public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@OneOf`: makes an enum a `FieldGroup`.
public struct OneOfMacro: GroupMacro {
    /// The members of the enum; nil for one with problems.
    public static func members(
        of declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, within lexicalContext: [Syntax],
        telling context: (any MacroExpansionContext)?
    ) -> GroupMembers? {
        var reader = OneOfReader(lexicalContext)
        let shape = reader.read(declaration, attribute)
        if let context { reader.findings.tell(context) }
        return shape.map { OneOfCode($0).members }
    }
}
