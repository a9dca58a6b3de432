import SwiftParser
import SwiftSyntax

/// The attributes that say what a property is.
enum Marker: String {
    case id = "ID"
    case field = "Field"
    case constant = "Constant"
    case local = "Local"

    /// The marker of an attribute; nil for an attribute that is not of this package, such as a property wrapper.
    init?(_ attribute: AttributeSyntax) {
        let name: TokenSyntax
        if let type = attribute.attributeName.as(IdentifierTypeSyntax.self) {
            name = type.name
        } else if let type = attribute.attributeName.as(MemberTypeSyntax.self),
            type.baseType.trimmedDescription == "ModelcastMacros"
        {
            name = type.name
        } else {
            return nil
        }
        self.init(rawValue: name.text)
    }

    /// True when the two markers contradict each other on one property.
    func excludes(_ other: Marker) -> Bool {
        let both: Set = [self, other]
        return both.count == 2 && (both.contains(.id) || both.contains(.local))
    }

    var attribute: String { "@\(rawValue)" }
}

/// The markers of one property, with their attributes.
struct MarkerList {
    private(set) var uses: [(marker: Marker, attribute: AttributeSyntax)] = []

    init(_ attributes: AttributeListSyntax) {
        for case .attribute(let attribute) in attributes {
            if let marker = Marker(attribute) { uses.append((marker, attribute)) }
        }
    }

    subscript(marker: Marker) -> AttributeSyntax? { uses.first { $0.marker == marker }?.attribute }

    /// Removes and reports the markers that only a model may have.
    mutating func removeModelOnly(_ findings: inout Findings) {
        for (marker, attribute) in uses where marker != .field {
            findings.report(.modelOnly(marker), at: attribute, .remove(attribute))
        }
        uses.removeAll { $0.marker != .field }
    }

    /// The argument of `@Field` with this label; that without a label is the name.
    func argument(_ label: String?) -> LabeledExprSyntax? {
        self[.field]?.arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }
    }

    /// The place of the name in `@Field`, if it has one.
    var nameNode: Syntax? { Syntax(argument(nil)?.expression) }

    /// The name in `@Field`, if it has one.
    func wireName(of subject: Subject, _ findings: inout Findings) -> String? {
        name(in: argument(nil)?.expression, of: subject.part, &findings)
    }

    /// The place of the name in `@ID`, if it has one.
    var idNameNode: Syntax? { Syntax(idArgument) }

    /// The name in `@ID`, if it has one.
    func idName(_ findings: inout Findings) -> String? { name(in: idArgument, of: "field", &findings) }

    private var idArgument: ExprSyntax? {
        self[.id]?.arguments?.as(LabeledExprListSyntax.self)?.first?.expression
    }

    private func name(in given: ExprSyntax?, of part: String, _ findings: inout Findings) -> String? {
        guard let given, !given.is(NilLiteralExprSyntax.self) else { return nil }
        if given.literalText == nil { findings.report(.notLiteral(part), at: given) }
        return given.literalText
    }
}

extension ExprSyntax {
    /// The text of a literal without interpolations.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }

    /// True for `nil` and `.none`.
    var isNil: Bool { self.is(NilLiteralExprSyntax.self) || trimmedDescription == ".none" }
}
