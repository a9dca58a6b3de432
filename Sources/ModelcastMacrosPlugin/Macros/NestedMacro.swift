public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Nested`: makes of a struct what `FieldGroup` asks for.
public struct NestedMacro: GroupMacro {
    public static func members(
        of declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, within lexicalContext: [Syntax],
        telling context: (any MacroExpansionContext)?
    ) -> [[String]]? {
        var reader = NestedReader(lexicalContext)
        let shape = reader.read(declaration, attribute)
        if let context { reader.findings.tell(context) }
        return shape.map { NestedCode($0).members }
    }
}
