import SwiftDiagnostics
import SwiftSyntax

/// Reads a struct with `@Model`, and finds all its problems.
struct ModelReader {
    private let context: [Syntax]
    private var structReader: StructReader

    init(_ context: [Syntax]) { (self.context, structReader) = (context, StructReader(.model, context)) }

    var findings: Findings { structReader.findings }

    /// Reads the struct.
    /// - Returns: nil for a struct with problems.
    mutating func read(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> ModelShape? {
        guard let structure = structReader.read(declaration, attribute) else { return nil }
        let typeName = readTypeName(attribute, structure)
        checkIDs(structure)
        checkModelType(structure, attribute)
        structReader.findings.checkHash(of: structure)
        let properties = structReader.properties
        guard findings.isEmpty, let id = properties.first(where: { $0.role == .id }) else { return nil }
        return ModelShape(
            name: structure.name.text, typeName: typeName, access: Access(structure.modifiers),
            isNested: !context.isEmpty, properties: properties, id: id,
            hasOwnInit: structure.hasInitializer(for: properties),
            own: structure.ownMembers,
            hasOwnDescription: structure.hasDescription)
    }

    /// The name of the type on the wire: that in the attribute, or the struct's.
    private mutating func readTypeName(_ attribute: AttributeSyntax, _ structure: StructDeclSyntax) -> String {
        let argument = attribute.arguments?.as(LabeledExprListSyntax.self)?.first?.expression
        var name = structure.name.text.plainName
        var node = Syntax(structure.name)
        if let argument, !argument.is(NilLiteralExprSyntax.self) {
            guard let text = argument.literalText else {
                structReader.findings.report(.notLiteral("type"), at: argument)
                return ""
            }
            name = text
            node = Syntax(argument)
        }
        if name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_.\-]{0,63}/) == nil {
            structReader.findings.report(.badTypeName(name), at: node)
        }
        return name
    }

    /// Reports a name on the wire that is given twice.
    private mutating func checkModelType(_ structure: StructDeclSyntax, _ attribute: AttributeSyntax) {
        guard structure.ownMembers.contains(.modelType), let arguments = attribute.arguments else { return }
        structReader.findings.report(.twoTypeNames, at: arguments)
    }

    private mutating func checkIDs(_ structure: StructDeclSyntax) {
        let uses = structure.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .filter { $0.kind == .stored }.compactMap { MarkerList($0.attributes)[.id] }
        if uses.isEmpty {
            structReader.findings.report(.noID, at: structure.name, .addID(to: structure.memberBlock))
        }
        for attribute in uses.dropFirst() {
            structReader.findings.report(.secondID, at: attribute, .remove(attribute))
        }
    }
}
