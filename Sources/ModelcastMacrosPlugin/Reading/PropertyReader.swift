import SwiftDiagnostics
import SwiftSyntax

/// Reads one declaration of properties, and finds its problems.
struct PropertyReader {
    private let variable: VariableDeclSyntax
    /// The name of the struct.
    private let owner: String
    private let subject: Subject
    private var markers: MarkerList
    private(set) var findings: Findings

    init(_ variable: VariableDeclSyntax, of owner: String, _ subject: Subject, _ findings: Findings) {
        (self.variable, self.owner, self.subject, self.findings) = (variable, owner, subject, findings)
        markers = MarkerList(variable.attributes)
        if subject != .model { markers.removeModelOnly(&self.findings) }
    }

    /// Reads the stored properties of the declaration: mostly one.
    mutating func read() -> [StoredProperty] {
        guard variable.kind == .stored else {
            if variable.kind == .lazy, markers.uses.isEmpty, let binding = variable.bindings.first {
                findings.report(.lazy(binding.pattern.trimmedDescription), at: binding.pattern)
            }
            for (marker, attribute) in markers.uses {
                let message = ModelMessage.notStored(marker, kind: variable.kind.rawValue)
                findings.report(message, at: attribute, .remove(attribute))
            }
            return []
        }
        checkMarkers()
        let bindings = Array(variable.bindings)
        return bindings.indices.compactMap { index in
            // In `var a, b: Int` the type of `a` is that of the next name with one.
            let typed = bindings[index...].first { $0.typeAnnotation != nil || $0.initializer != nil }
            return read(bindings[index], typed?.typeAnnotation?.type)
        }
    }

    private var role: StoredProperty.Role {
        markers[.id] != nil ? .id : markers[.local] != nil ? .local : .field
    }

    private mutating func checkMarkers() {
        for (index, use) in markers.uses.enumerated() {
            let earlier = markers.uses[..<index].map(\.marker)
            let fix = FixIt.remove(use.attribute)
            if earlier.contains(use.marker) {
                findings.report(.twice(use.marker), at: use.attribute, fix)
            } else if let other = earlier.first(where: use.marker.excludes) {
                findings.report(.excluded(use.marker, by: other), at: use.attribute, fix)
            }
        }
        let fixed: Marker? = markers[.id] != nil ? .id : markers[.constant] != nil ? .constant : nil
        let keyword = variable.bindingSpecifier
        if let fixed, keyword.tokenKind == .keyword(.var) {
            findings.report(.notLet(fixed), at: keyword, .change(keyword, to: "let"))
        }
    }

    private mutating func read(_ binding: PatternBindingSyntax, _ type: TypeSyntax?) -> StoredProperty? {
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            findings.report(.pattern(subject), at: binding.pattern)
            return nil
        }
        let value = binding.initializer
        if let value { checkFixed(value, of: pattern) }
        guard let type else {
            findings.report(.noType(subject), at: pattern, .insertType(after: pattern, of: value))
            return nil
        }
        check(type, hasValue: value != nil, of: pattern)
        checkName(pattern)
        let given = markers.argument("default")?.expression
        if let given, value != nil { findings.report(.twoDefaults, at: given, value.map { .remove($0) }) }
        let initial = given ?? value?.value
        // In generated code the compiler would say it several times.
        if let initial, initial.isOther(than: type) {
            findings.report(
                .otherDefault(initial.trimmedDescription, type: PropertyType(type).wrapped), at: initial)
        }
        return StoredProperty(
            name: pattern.identifier.text, type: PropertyType(type.naming(owner)), role: role,
            isConstant: markers[.constant] != nil, access: Access(variable.modifiers),
            documentation: variable.leadingTrivia.documentation,
            defaultValue: initial?.isNil == true ? nil : initial?.naming(owner),
            hasSteadyDefault: initial?.isSteady ?? false,
            conversion: markers.argument("convert")?.expression.naming(owner),
            validation: markers.argument("validate")?.expression.naming(owner), field: readField(pattern),
            nameNode: (role == .id ? markers.idNameNode : markers.nameNode) ?? Syntax(pattern),
            isWrapped: variable.attributes.contains { $0.as(AttributeSyntax.self).map { Marker($0) == nil } ?? false })
    }

    /// Reports a `let` with an initial value: it could never take another one.
    private mutating func checkFixed(_ value: InitializerClauseSyntax, of pattern: IdentifierPatternSyntax) {
        let keyword = variable.bindingSpecifier
        guard keyword.tokenKind == .keyword(.let) else { return }
        if role == .id { return findings.report(.fixedID, at: value, .remove(value)) }
        let change = markers[.constant] == nil ? FixIt.change(keyword, to: "var") : nil
        let canDefault = role == .field && markers.argument("default") == nil
        let move = canDefault ? FixIt.useDefault(variable, value, markers[.field]) : nil
        findings.report(.fixedValue(pattern.identifier.text), at: value, change, move)
    }

    private mutating func check(_ type: TypeSyntax, hasValue: Bool, of pattern: IdentifierPatternSyntax) {
        let isOptional = PropertyType(type).isOptional
        if role == .local {
            if !hasValue, !isOptional { findings.report(.emptyLocal, at: pattern) }
            return
        }
        let hidden = type.tokens(viewMode: .sourceAccurate).first { token in
            subject.generatedTypes.contains(token.text) && token.previousToken(viewMode: .all)?.tokenKind != .period
        }
        if let hidden { findings.report(.hiddenType(hidden.text), at: hidden) }
        if let (part, reason) = type.unsupported {
            if reason.isConvertible, markers.argument("convert") != nil { return }
            let wrapped = part.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType.trimmedDescription
            findings.report(.unsupported(reason, subject), at: part, wrapped.map { .change(part, to: "\($0)?") })
        } else if role == .id, isOptional {
            findings.report(.optionalID, at: type, .change(type, to: PropertyType(type).wrapped))
        } else if role == .id, type.isNoID {
            findings.report(.typeOfID(type.trimmedDescription), at: type)
        }
    }

    /// Reports a property with the name of a generated member. `id` is checked when all properties are known.
    private mutating func checkName(_ pattern: IdentifierPatternSyntax) {
        let name = pattern.identifier.text.plainName
        let reserved: Set = ["model", "problems", "constants", "unknownFields", "Partial", "Constants"]
        // No type has such members, or they mean something else.
        let impossible: Set = [
            "self", "Type", "Protocol", "FieldTypes", "FieldNames", "FieldConversions", "FieldChecks", "_checkID",
            "hashValue",
        ]
        guard role != .local else { return }
        let isReserved = subject == .model && reserved.contains(name) || subject == .nested && name == "unknownFields"
        if impossible.contains(name) || isReserved {
            findings.report(.reservedProperty(name), at: pattern)
        }
    }

    /// The name of the field: the one given, or the property's. The name of an id is that in JSON.
    private mutating func readField(_ pattern: IdentifierPatternSyntax) -> String {
        if role == .id { return markers.idName(&findings) ?? "id" }
        return markers.wireName(of: subject, &findings) ?? pattern.identifier.text.plainName
    }
}
