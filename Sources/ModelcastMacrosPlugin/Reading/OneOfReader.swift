import SwiftDiagnostics
import SwiftSyntax

/// Reads an enum with `@OneOf`, and finds all its problems.
struct OneOfReader {
    /// The declarations around the enum, innermost first.
    private let context: [Syntax]
    private(set) var findings = Findings()
    private var names = WireNames(.oneOf)
    private var payloadCount = 0

    init(_ context: [Syntax]) { self.context = context }

    /// Reads the enum.
    /// - Returns: nil for an enum with problems.
    mutating func read(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> OneOfShape? {
        guard let enumeration = declaration.as(EnumDeclSyntax.self) else {
            reportKind(declaration, attribute)
            return nil
        }
        findings.checkPlace(of: enumeration, within: context, .oneOf)
        guard !isRaw(enumeration, attribute) else { return nil }
        findings.checkEquality(of: enumeration)
        var cases: [OneOfCase] = []
        for member in enumeration.memberBlock.members {
            if let declaration = member.decl.as(EnumCaseDeclSyntax.self) {
                cases += read(declaration, of: enumeration.name.text)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                findings.checkConditional(condition, .oneOf) { $0.is(EnumCaseDeclSyntax.self) }
            }
            findings.checkNestedType(member.decl, .oneOf)
        }
        if findings.isEmpty, cases.isEmpty {
            findings.report(.noCases, at: enumeration.name, .addMember("case <#name#>", to: enumeration.memberBlock))
        }
        let form = attribute.arguments?.as(LabeledExprListSyntax.self)?.first?.expression
        if let tag = form?.tag { checkLabels(of: enumeration, against: tag) }
        guard findings.isEmpty else { return nil }
        let access = Access(enumeration.modifiers)
        return OneOfShape(
            access: access, cases: cases, form: form?.trimmedDescription,
            own: enumeration.ownMembers,
            accessInExtension: access.ofExtensionMember(within: context))
    }

    private mutating func reportKind(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) {
        let keyword = declaration.introducer
        if declaration.is(StructDeclSyntax.self) {
            findings.report(.structOneOf, at: keyword, .change(attribute.attributeName, to: "Nested"))
        } else {
            findings.report(.notEnum(declaration.kindText), at: keyword)
        }
    }

    /// Reports an enum with raw values, which is one field and not a group. The type of raw values is the first of
    /// those behind the colon.
    private mutating func isRaw(_ enumeration: EnumDeclSyntax, _ attribute: AttributeSyntax) -> Bool {
        let inherited = enumeration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        let elements = enumeration.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
            .flatMap(\.elements)
        guard let type = inherited.first,
            type.isRawValue || elements.contains(where: { $0.rawValue != nil })
        else { return false }
        findings.report(.rawValues, at: type, .useFieldValue(attribute, after: inherited))
        return true
    }

    private mutating func read(_ declaration: EnumCaseDeclSyntax, of owner: String) -> [OneOfCase] {
        var markers = MarkerList(declaration.attributes)
        markers.removeModelOnly(&findings)
        for use in markers.uses.dropFirst() {
            findings.report(.twice(use.marker), at: use.attribute, .remove(use.attribute))
        }
        if let excess = markers.argument("default") ?? markers.argument("convert") ?? markers.argument("validate"),
            let attribute = markers[.field], let label = excess.label
        {
            let name = markers.argument(nil).map { "@Field(\($0.expression.trimmedDescription))" }
            let fix = name.map { FixIt.change(attribute, to: $0) } ?? .remove(attribute)
            findings.report(.caseArgument(label.text), at: excess, fix)
        }
        let given = markers.wireName(of: .oneOf, &findings)
        return declaration.elements.map { element in
            let wireName = given ?? element.name.text.plainName
            names.add(
                wireName, of: element.name.text.plainName, at: markers.nameNode ?? Syntax(element.name), &findings)
            let payloads = element.parameterClause?.parameters ?? []
            checkLabels(payloads)
            return OneOfCase(
                name: element.name.text, wireName: wireName,
                payloads: payloads.map { read($0, of: wireName, in: owner) })
        }
    }

    /// Reports payloads without a label where a case has several: each has a field of its own, which needs a name.
    private mutating func checkLabels(_ payloads: EnumCaseParameterListSyntax) {
        guard payloads.count > 1 else { return }
        for payload in payloads where payload.label == nil {
            let wildcard = payload.firstName.map { FixIt.remove($0) }
            findings.report(.noLabel, at: payload, wildcard ?? .insert("<#label#>: ", before: payload.type))
        }
    }

    /// Reports payloads whose label is that of the tag: in JSON both would have one place.
    private mutating func checkLabels(of enumeration: EnumDeclSyntax, against tag: String) {
        let elements = enumeration.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
            .flatMap(\.elements)
        for payload in elements.flatMap({ Array($0.parameterClause?.parameters ?? []) })
        where payload.label?.plainName == tag {
            findings.report(.tagLabel(tag), at: payload)
        }
    }

    private mutating func read(
        _ payload: EnumCaseParameterSyntax, of wireName: String, in owner: String
    ) -> OneOfCase.Payload {
        let type = PropertyType(payload.type)
        if let (part, reason) = payload.type.unsupported {
            findings.report(.unsupported(reason, .oneOf), at: part)
        } else if type.isOptional {
            findings.report(.optionalPayload, at: payload.type, .change(payload.type, to: type.wrapped))
        } else if [owner, "Self"].contains(type.wrapped) {
            findings.report(.recursive(owner), at: payload.type)
        }
        defer { payloadCount += 1 }
        return OneOfCase.Payload(
            number: payloadCount, label: payload.label, type: type,
            defaultValue: payload.defaultValue?.value.trimmedDescription,
            field: payload.label.map { "\(wireName).\($0.plainName)" } ?? wireName)
    }
}

extension EnumCaseParameterSyntax {
    fileprivate var label: String? { firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0.text } }
}

extension ExprSyntax {
    /// The name of the tag in `.tagged(by: "kind")`; nil for another form, or where it is no literal.
    fileprivate var tag: String? {
        guard let call = self.as(FunctionCallExprSyntax.self),
            call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "tagged"
        else { return nil }
        return call.arguments.first { $0.label?.text == "by" }?.expression.literalText
    }
}

extension TypeSyntax {
    /// True for a type of raw values, as far as its spelling tells.
    fileprivate var isRawValue: Bool {
        let name = trimmedDescription.split(separator: ".").last ?? ""
        return ["String", "Character", "Float", "Double"].contains(name)
            || name.wholeMatch(of: /U?Int(8|16|32|64|128)?/) != nil
    }
}
