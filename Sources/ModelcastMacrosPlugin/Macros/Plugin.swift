import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct ModelcastMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelMacro.self, NestedMacro.self, FieldValueMacro.self, OneOfMacro.self, IDMacro.self, MarkerMacro.self,
    ]
}
