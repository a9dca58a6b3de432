import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The problems of one type.
struct Findings {
    private var diagnostics: [Diagnostic] = []

    var isEmpty: Bool { diagnostics.isEmpty }

    mutating func report(_ message: ModelMessage, at node: some SyntaxProtocol, _ fixes: FixIt?...) {
        diagnostics.append(Diagnostic(node: node, message: message, fixIts: fixes.compactMap(\.self)))
    }

    mutating func report(_ message: GroupMessage, at node: some SyntaxProtocol, _ fixes: FixIt?...) {
        diagnostics.append(Diagnostic(node: node, message: message, fixIts: fixes.compactMap(\.self)))
    }

    func tell(_ context: some MacroExpansionContext) {
        for diagnostic in diagnostics { context.diagnose(diagnostic) }
    }
}
