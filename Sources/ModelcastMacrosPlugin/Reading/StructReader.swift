import SwiftSyntax

/// Reads the properties of a struct, and finds all their problems.
struct StructReader {
    private let subject: Subject
    /// The declarations around the struct, innermost first.
    private let context: [Syntax]
    var findings = Findings()
    /// The properties in the order of the declarations.
    private(set) var properties: [StoredProperty] = []

    init(_ subject: Subject, _ context: [Syntax]) { (self.subject, self.context) = (subject, context) }

    /// Reads the properties of a declaration.
    /// - Returns: nil for a declaration that is no struct.
    mutating func read(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> StructDeclSyntax? {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            reportKind(declaration, attribute)
            return nil
        }
        findings.checkPlace(of: structure, within: context, subject)
        for member in structure.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                var reader = PropertyReader(variable, of: structure.name.text, subject, findings)
                properties += reader.read()
                findings = reader.findings
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                findings.checkConditional(condition, subject) { $0.as(VariableDeclSyntax.self)?.kind == .stored }
            }
        }
        let hasConstants = properties.contains(where: \.isConstant)
        for member in structure.memberBlock.members {
            findings.checkNestedType(member.decl, subject, hasConstants: hasConstants)
        }
        checkNames()
        return structure
    }

    private mutating func reportKind(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) {
        let keyword = declaration.introducer
        let kind = declaration.kindText
        if subject == .nested, declaration.is(EnumDeclSyntax.self) {
            return findings.report(.nestedEnum, at: keyword, .change(attribute.attributeName, to: "OneOf"))
        }
        if subject == .value, declaration.is(EnumDeclSyntax.self) {
            return findings.report(.valueEnum, at: keyword)
        }
        let isClass = declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self)
        findings.report(.notStruct(kind, subject), at: keyword, isClass ? .change(keyword, to: "struct") : nil)
    }

    private mutating func checkNames() {
        var names = WireNames(subject)
        let hasID = properties.contains { $0.role == .id }
        // A field on the wire may be called as the id in JSON, but would take its place there.
        for id in properties where id.role == .id && id.field != "id" {
            names.add(id.field, of: id.plainName, at: id.nameNode, &findings)
        }
        for property in properties where property.role == .field {
            if subject == .model, property.plainName == "id" {
                // For a model without an id another problem is reported, whose fix-it marks this property as the id.
                if hasID { findings.report(.reservedProperty("id"), at: property.nameNode) }
            } else {
                names.add(property.field, of: property.plainName, at: property.nameNode, &findings)
            }
        }
    }
}

extension DeclGroupSyntax {
    /// The kind of declaration, for messages.
    var kindText: String {
        switch introducer.tokenKind {
        case .keyword(.class): "a class"
        case .keyword(.actor): "an actor"
        case .keyword(.enum): "an enum"
        case .keyword(.struct): "a struct"
        case .keyword(.protocol): "a protocol"
        default: "an extension"
        }
    }
}

extension DeclGroupSyntax {
    /// The members that the type has of its own, in place of generated ones.
    var ownMembers: Set<OwnMember> { Set(memberBlock.members.compactMap { OwnMember($0.decl) }) }
}

extension StructDeclSyntax {
    /// True when the struct has an instance property `description`.
    var hasDescription: Bool {
        memberBlock.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.kind != .shared else { return false }
            return variable.bindings.contains { $0.pattern.trimmedDescription == "description" }
        }
    }

    /// True when the struct has an initialiser with the labels of the memberwise one.
    func hasInitializer(for properties: [StoredProperty]) -> Bool {
        let labels = properties.map(\.plainName)
        return memberBlock.members.contains { member in
            guard let initializer = member.decl.as(InitializerDeclSyntax.self) else { return false }
            return initializer.signature.parameterClause.parameters.map(\.firstName.text.plainName) == labels
        }
    }
}
