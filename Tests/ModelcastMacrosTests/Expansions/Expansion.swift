import ModelcastMacrosPlugin
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// A source with macros, and what is expected of it.
struct Expansion {
    private let source: String
    private let conformances: [String]

    /// - Parameter conformances: what the compiler asks the macro for.
    init(_ source: String, conformances: [String] = Expansion.modelConformances) {
        (self.source, self.conformances) = (source, conformances)
    }

    private static let markers = ["ID", "Field", "Constant", "Local"]
    private static let hashable = ["Hashable", "Equatable", "Sendable"]
    static let modelConformances =
        ["Model", "Identifiable"] + hashable + ["Decodable", "Encodable", "CustomStringConvertible"]
    private static let groupConformances = ["FieldGroup", "ModelFieldType"] + hashable
    private static let valueConformances =
        ["StructuredValue", "FieldValue", "ModelFieldType"] + hashable + ["Decodable", "Encodable"]

    private var specs: [String: MacroSpec] {
        var specs = Expansion.specs(of: Expansion.markers)
        specs["ID"] = MacroSpec(type: IDMacro.self)
        specs["Model"] = Expansion.spec(ModelMacro.self, conformances)
        specs["Nested"] = Expansion.spec(
            NestedMacro.self, Expansion.groupConformances + ["CustomStringConvertible"])
        specs["FieldValue"] = Expansion.spec(FieldValueMacro.self, Expansion.valueConformances)
        specs["OneOf"] = Expansion.spec(OneOfMacro.self, Expansion.groupConformances)
        return specs
    }

    private static func spec(_ macro: any Macro.Type, _ conformances: [String]) -> MacroSpec {
        MacroSpec(type: macro, conformances: conformances.map { "\(raw: $0)" })
    }

    /// Macros that make nothing.
    private static func specs(of markers: [String]) -> [String: MacroSpec] {
        Dictionary(uniqueKeysWithValues: markers.map { ($0, MacroSpec(type: MarkerMacro.self)) })
    }

    /// What comes out.
    var text: String { expanded(by: specs) }

    /// The source without the attributes: what is left of it where there is something wrong.
    private var bare: String {
        expanded(by: Expansion.specs(of: Expansion.markers + ["Model", "Nested", "FieldValue", "OneOf"]))
    }

    private func expanded(by specs: [String: MacroSpec]) -> String {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let expanded = file.expand(macroSpecs: specs) { node in
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
        }
        return expanded.description
    }

    /// The whole text that comes out.
    func expect(whole expanded: String, at location: Testing.SourceLocation = #_sourceLocation) {
        check(expanded, [], nil, fixed: nil, location)
    }

    /// Parts of the text that comes out.
    func expect(parts: String..., without others: String..., at location: Testing.SourceLocation = #_sourceLocation) {
        let text = text
        for part in parts {
            #expect(text.contains(part), "\(part)\n is not in\n\(text)", sourceLocation: location)
        }
        for other in others {
            #expect(!text.contains(other), "\(other)\n is in\n\(text)", sourceLocation: location)
        }
    }

    /// All that is wrong, in order.
    /// - Parameters:
    ///   - fixed: the source after the fix-its.
    ///   - fixes: the messages of those that are used; the first of each problem if nil.
    func expect(
        problems: Problem..., fixed: String? = nil, by fixes: [String]? = nil,
        at location: Testing.SourceLocation = #_sourceLocation
    ) {
        check(bare, problems, fixes, fixed: fixed, location)
    }

    private func check(
        _ expanded: String, _ problems: [Problem], _ fixes: [String]?, fixed: String?,
        _ location: Testing.SourceLocation
    ) {
        assertMacroExpansion(
            source, expandedSource: expanded, diagnostics: problems.map(\.spec),
            macroSpecs: specs, applyFixIts: fixes, fixedSource: fixed
        ) { failure in
            Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
        }
    }
}

/// Something wrong, where it is, and what may be done about it.
struct Problem {
    let spec: DiagnosticSpec

    init(_ line: Int, _ column: Int, _ message: String, _ fixes: String...) {
        self.init(line, column, message, fixes)
    }

    init(_ line: Int, _ column: Int, _ message: String, _ fixes: [String]) {
        spec = DiagnosticSpec(
            message: message, line: line, column: column, fixIts: fixes.map { FixItSpec(message: $0) })
    }
}
